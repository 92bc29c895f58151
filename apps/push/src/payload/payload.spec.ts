import {
  type EventReceived,
  type InteractionAsked,
  type NotificationSent,
  plainText,
} from '@carillon/contracts';
import {
  costlyTexts,
  eventReceived,
  interactionAsked,
  notificationSent,
  pageNotified,
} from '@carillon/testkit';
import fc from 'fast-check';
import { apnsAlert, apnsWithdrawal, fcmAlert, type Push, pushOf } from './payload';
import type { Pushed } from './pushed';

const sent = (more: Partial<NotificationSent> = {}): NotificationSent =>
  notificationSent({ notificationId: 'anot_01k0000000e00280000000000', ...more });

const received = (more: Partial<EventReceived> = {}): EventReceived =>
  eventReceived({
    eventId: 'evt_01k0000000e00280000000000',
    serviceId: 'svc_01k0000000e00280000000000',
    ...more,
  });

const asked = (more: Partial<InteractionAsked> = {}): InteractionAsked =>
  interactionAsked({ interactionId: 'int_01k0000000e00280000000000', ...more });

const made = (pushed: Pushed): Push => pushOf(pushed)!;

const apnsBytes = (push: Push): Buffer => Buffer.from(JSON.stringify(apnsAlert(push)));
const fcmSize = (push: Push): number =>
  Object.entries(fcmAlert(push)).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
const shownBody = (push: Push): string =>
  (JSON.parse(apnsBytes(push).toString('utf8')) as { aps: { alert: { body: string } } }).aps.alert.body;

describe('the text of a push', () => {
  it('is the body', () => expect(made(sent()).text).toBe('main is green'));

  it('is the summary when there is one', () => expect(made(sent({ summary: 'green' })).text).toBe('green'));

  it('is plain text when the body is markdown', () =>
    expect(made(sent({ body: '**main** is [green](https://ci.test)', bodyFormat: 'markdown' })).text).toBe(
      'main is green',
    ));

  it('is not empty when a markdown body consists only of markup', () =>
    expect(made(sent({ body: '---', bodyFormat: 'markdown' })).text).not.toBe(''));

  it('has at most 1000 code points', () => {
    expect([...made(sent({ body: '🔔'.repeat(8000) })).text]).toHaveLength(1000);
    expect(made(sent({ body: 'x'.repeat(1000) })).text).toHaveLength(1000);
  });
});

describe('a payload', () => {
  it('for an iPhone is an alert with our own data', () =>
    expect(apnsAlert(made(sent({ url: 'https://ci.test/1', projectId: 'web' })))).toEqual({
      aps: {
        alert: { title: 'Build finished', body: 'main is green' },
        sound: 'default',
        'thread-id': 'web',
        'mutable-content': 1,
      },
      carillon: { type: 'notification', id: 'anot_01k0000000e00280000000000', url: 'https://ci.test/1' },
    }));

  it('for Android is data only', () =>
    expect(fcmAlert(made(sent()))).toEqual({
      type: 'notification',
      id: 'anot_01k0000000e00280000000000',
      title: 'Build finished',
      body: 'main is green',
      sentAt: '2026-11-20T09:00:00.000Z',
      expiresAt: '2026-11-21T09:00:00.000Z',
    }));

  it('of an event is a notification under the id of the event, in the thread of its service', () => {
    const push = made(received({ body: '**main** is green', bodyFormat: 'markdown' }));
    expect(apnsAlert(push)).toEqual({
      aps: {
        alert: { title: 'Build finished', body: 'main is green' },
        sound: 'default',
        'thread-id': 'svc_01k0000000e00280000000000',
        'mutable-content': 1,
      },
      carillon: { type: 'notification', id: 'evt_01k0000000e00280000000000' },
    });
    expect(fcmAlert(push)).toMatchObject({ type: 'notification', id: 'evt_01k0000000e00280000000000' });
  });

  it('of a prompt for an iPhone has buttons, a digest and an end, and is urgent', () =>
    expect(apnsAlert(made(asked({ url: 'https://ci.test/1', projectId: 'web' })))).toEqual({
      aps: {
        alert: { title: 'Deploy?', body: 'Deploy main to production?' },
        sound: 'default',
        'thread-id': 'web',
        'mutable-content': 1,
        category: 'CARILLON_APPROVAL',
        'interruption-level': 'time-sensitive',
      },
      carillon: {
        type: 'prompt',
        id: 'int_01k0000000e00280000000000',
        actions: [
          { id: 'approved', label: 'Approve' },
          { id: 'denied', label: 'Deny' },
        ],
        actionDigest: `sha256:${'0'.repeat(64)}`,
        expiresAt: '2026-11-20T10:00:00.000Z',
        url: 'https://ci.test/1',
      },
    }));

  it('of a prompt for Android is data only, its buttons as JSON', () =>
    expect(
      fcmAlert(made(asked({ kind: 'yes_no', primaryLabel: 'Ship it', imageUrl: 'https://i.test' }))),
    ).toEqual({
      type: 'prompt',
      id: 'int_01k0000000e00280000000000',
      title: 'Deploy?',
      body: 'Deploy main to production?',
      category: 'CARILLON_YES_NO',
      actions: '[{"id":"yes","label":"Ship it"},{"id":"no","label":"No"}]',
      actionDigest: `sha256:${'0'.repeat(64)}`,
      imageUrl: 'https://i.test',
      sentAt: '2026-11-20T09:00:00.000Z',
      expiresAt: '2026-11-20T10:00:00.000Z',
    }));

  it('of a page for an iPhone is urgent, has two buttons, and is in the thread of its group', () =>
    expect(apnsAlert(made(pageNotified({ body: 'No orders', url: 'https://shop.test' })))).toEqual({
      aps: {
        alert: { title: 'The shop is down', body: 'No orders' },
        sound: 'default',
        'thread-id': 'ocg_1',
        'mutable-content': 1,
        category: 'CARILLON_PAGE',
        'interruption-level': 'time-sensitive',
      },
      carillon: {
        type: 'page',
        id: 'page_1',
        actions: [
          { id: 'acknowledge', label: 'Acknowledge' },
          { id: 'escalate', label: 'Escalate' },
        ],
        groupId: 'ocg_1',
        groupName: 'Backend',
        escalationStep: 0,
        url: 'https://shop.test',
      },
    }));

  it('of a page for Android is data only, and names the group when it has no text', () =>
    expect(fcmAlert(made(pageNotified()))).toEqual({
      type: 'page',
      id: 'page_1',
      title: 'The shop is down',
      body: 'Backend',
      category: 'CARILLON_PAGE',
      actions: '[{"id":"acknowledge","label":"Acknowledge"},{"id":"escalate","label":"Escalate"}]',
      groupId: 'ocg_1',
      groupName: 'Backend',
      escalationStep: '0',
      sentAt: '2026-11-20T09:00:00.000Z',
      expiresAt: '2026-11-21T09:00:00.000Z',
    }));

  it('of a prompt is in the thread of its project, else of its service', () => {
    expect(made(asked({ serviceId: 'svc_1' })).threadId).toBe('svc_1');
    expect(made(asked({ serviceId: 'svc_1', projectId: 'web' })).threadId).toBe('web');
    expect(made(asked()).threadId).toBeNull();
  });

  it('of a prompt shows as much of its text as fits', () => {
    const prompt = 'word '.repeat(800);
    const shown = shownBody(made(asked({ prompt })));
    expect([...shown].length).toBeGreaterThan(3_000);
    expect(apnsBytes(made(asked({ prompt }))).length).toBeGreaterThan(4_090);
  });

  it('includes the web app that a tap opens, even when everything else is long', () => {
    const appId = 'app_01k0000000e00280000000000';
    const long = `https://ci.test/${'é'.repeat(2000)}`;
    const tooLong = { body: '🔔'.repeat(8000), url: long, imageUrl: long, appId };
    for (const pushed of [
      sent({ appId }),
      received({ appId }),
      pageNotified({ appId }),
      sent(tooLong),
      received(tooLong),
      pageNotified({ body: tooLong.body, url: long, appId }),
    ]) {
      expect(apnsAlert(made(pushed)).carillon).toHaveProperty('appId', appId);
      expect(fcmAlert(made(pushed))).toHaveProperty('appId', appId);
      expect(apnsBytes(made(pushed)).length).toBeLessThanOrEqual(4096);
      expect(fcmSize(made(pushed))).toBeLessThanOrEqual(4096);
    }
  });

  it('that withdraws is silent', () =>
    expect(apnsWithdrawal('anot_1')).toEqual({
      aps: { 'content-available': 1 },
      carillon: { type: 'withdraw', id: 'anot_1' },
    }));

  it('keeps its URLs when only the text is long', () => {
    const payload = apnsAlert(made(sent({ body: '🔔'.repeat(8000), url: 'https://ci.test/1' })));
    expect(payload.carillon).toHaveProperty('url', 'https://ci.test/1');
  });

  it('drops the image and then the link before the text', () => {
    const long = `https://ci.test/${'x'.repeat(2000)}`;
    const payload = apnsAlert(
      made(sent({ body: 'y'.repeat(1000), url: long, imageUrl: long.replace('ci', 'im') })),
    );
    expect(payload.carillon).toHaveProperty('url', long);
    expect(payload.carillon).not.toHaveProperty('imageUrl');
    const wide = `https://ci.test/${'é'.repeat(2000)}`;
    expect(apnsAlert(made(sent({ body: 'y'.repeat(1000), url: wide }))).carillon).not.toHaveProperty('url');
  });

  it.each([
    ['four-byte letters', '🔔'.repeat(8000)],
    ['letters joined to one', '👩‍👩‍👧‍👦'.repeat(700)],
    ['right to left', 'שלום עולם '.repeat(800)],
    ['combining marks', `e${'\u0301'.repeat(7999)}`],
    ['quotes and backslashes', '"\\'.repeat(4000)],
    ['line breaks', '\n\t'.repeat(4000)],
    ['half a letter', '\ud83d'.repeat(8000)],
    ['controls', '\u0001'.repeat(8000)],
  ])('fits with 8000 of %s', (_what, text) => {
    const push = made(sent({ title: text.slice(0, 120), body: text, projectId: 'p'.repeat(64) }));
    expect(apnsBytes(push).length).toBeLessThanOrEqual(4096);
    expect(fcmSize(push)).toBeLessThanOrEqual(4096);
    expect(shownBody(push)).not.toBe('');
  });

  it.each([
    ['four-byte letters', '🔔'],
    ['letters joined to one', '👩‍👩‍👧‍👦'],
    ['right to left', 'שלום עולם '],
    ['combining marks', 'e\u0301'],
    ['quotes and backslashes', '"\\'],
  ])(
    'of a prompt fits with 4000 of %s, six choices and both addresses, and keeps every choice',
    (_what, text) => {
      const of = (length: number, from = 0) => [...text.repeat(4000)].slice(from, from + length).join('');
      // Different ones, as they must be.
      const choices = Array.from({ length: 6 }, (_, n) => `${n}${of(59)}`);
      const long = `https://ci.test/${'x'.repeat(2000)}`;
      const push = made(
        asked({
          kind: 'reply',
          title: of(120),
          prompt: of(4000),
          choices,
          url: long,
          imageUrl: long,
          projectId: 'p'.repeat(64),
        }),
      );
      const bytes = apnsBytes(push);
      expect(bytes.length).toBeLessThanOrEqual(4096);
      expect(fcmSize(push)).toBeLessThanOrEqual(4096);
      expect(shownBody(push)).not.toBe('');
      expect(JSON.parse(bytes.toString('utf8'))).toMatchObject({ carillon: { actions: choices } });
      expect(JSON.parse(fcmAlert(push)['actions']!)).toEqual(choices);
    },
  );

  const anyText = (max: number) =>
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: max }),
      fc.string({ unit: 'grapheme', maxLength: max }),
      fc.string({
        unit: fc.constantFrom('"', '\\', '\n', '🔔', 'é', '\ud83d', '\u0000', 'x'),
        maxLength: max,
      }),
    );

  it('is never too large, is valid UTF-8, and never ends inside a letter, whatever the text', () =>
    fc.assert(
      fc.property(
        anyText(240),
        anyText(8000),
        fc.option(anyText(2048), { nil: null }),
        fc.option(anyText(2048), { nil: null }),
        fc.constantFrom('notification', 'event', 'prompt'),
        fc.array(anyText(60), { maxLength: 6 }),
        fc.constantFrom(null, 'app_01k0000000e00280000000000'),
        (title, body, url, imageUrl, what, choices, appId) => {
          const push = made(
            what === 'prompt'
              ? asked({ kind: 'reply', title, prompt: body.slice(0, 4000), choices, url, imageUrl })
              : (what === 'event' ? received : sent)({ title, body, url, imageUrl, appId }),
          );
          const bytes = apnsBytes(push);
          expect(bytes.length).toBeLessThanOrEqual(4096);
          expect(fcmSize(push)).toBeLessThanOrEqual(4096);
          new TextDecoder('utf-8', { fatal: true }).decode(bytes);
          for (const shown of [shownBody(push), fcmAlert(push)['body']!]) {
            expect(shown).not.toMatch(/\p{Surrogate}/u);
            const whole = shown.replace(/…$/, '');
            expect(body.replace(/\p{Surrogate}/gu, '\ufffd').startsWith(whole)).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    ));
});

describe('the processing time of a text is proportional to its length', () => {
  // Each of these took seconds to hours with the rules of the package alone, or makes many steps of one of them.
  const marks = [
    ...[
      '[](',
      '[a](',
      '*a ',
      '``a`',
      '```\n',
      '~~\n',
      '\n==',
      '# #',
      '<a>\n',
      '[a]: ',
      '**a ',
      '*🔔 ',
      '1. ',
    ],
    ...['[a] (', '---\n', '\u2028 \u2029\t', ' \u2028*', '\u2029> ', '\u00a0 #'],
  ];
  it('as markdown', () => expect(costlyTexts(plainText, marks)).toEqual([]));

  it('as the title, body and link of a push', () =>
    expect(
      costlyTexts((text) => {
        const push = made(sent({ title: text, body: text, url: `https://ci.test/${text}` }));
        return [apnsAlert(push), fcmAlert(push)];
      }),
    ).toEqual([]));

  it('as a prompt, which is cut to fit', () =>
    expect(
      costlyTexts((text) => {
        const push = made(asked({ prompt: text, choices: [text.slice(0, 100)] }));
        return [apnsAlert(push), fcmAlert(push)];
      }),
    ).toEqual([]));
});
