import type { ActivityPrompt, ActivityProps } from '@carillon/contracts';
import fc from 'fast-check';
import { ActivityMessage, type Showing } from './content';
import type { LaneOperation } from './lane';

const nowMs = Date.parse('2026-11-20T09:00:00.000Z');
const seconds = nowMs / 1_000;
const props: ActivityProps = {
  title: 'Deploy',
  subtitle: null,
  status: 'Building',
  detail: null,
  progress: 0.25,
  layout: 'ring',
  state: 'running',
  icon: null,
  accentColor: null,
  steps: null,
  lines: null,
  startedAt: null,
  endsAt: null,
  imageUrl: null,
  url: 'https://ci.test/1',
};
const prompt: ActivityPrompt = {
  id: 'int_01k0000000e00280000000000',
  kind: 'approval',
  primaryLabel: 'Ship it',
  secondaryLabel: null,
  actionDigest: `sha256:${'a'.repeat(64)}`,
};
const operation = (kind: LaneOperation['kind'], more: Partial<LaneOperation> = {}): LaneOperation => ({
  kind,
  sequence: 3,
  round: 0,
  shows: 3,
  priority: kind === 'update' ? 5 : 10,
  isRoutine: kind === 'update',
  notBeforeMs: 0,
  untilMs: nowMs + 600_000,
  dismissAtMs: kind === 'end' ? nowMs + 300_000 : null,
  wasTried: true,
  isFarewell: false,
  ...more,
});
const message = (kind: LaneOperation['kind'], more: Partial<Showing> = {}): ActivityMessage =>
  new ActivityMessage({
    activityId: 'act_1',
    content: { props, prompt: null, choices: [] },
    isSilent: false,
    operation: operation(kind),
    sequence: 3,
    timestamp: seconds + 7,
    expiresAtMs: nowMs + 600_000,
    atMs: nowMs,
    isInteractive: true,
    ...more,
  });
const asking = (more: Partial<ActivityPrompt> = {}, choices: string[] = []): Partial<Showing> => ({
  content: { props, prompt: { ...prompt, ...more }, choices },
});
const drawn = {
  title: 'Deploy',
  status: 'Building',
  progress: 0.25,
  layout: 'ring',
  state: 'running',
  url: 'https://ci.test/1',
  sequence: 3,
};
const apns = (of: ActivityMessage): any => of.apns;
const fcmContent = (of: ActivityMessage): any => JSON.parse(of.fcm['contentState']!);

describe('for an iPhone', () => {
  it('a start has the type, the activity and an alert, and requests an update token', () =>
    expect(message('start').apns).toEqual({
      aps: {
        timestamp: seconds + 7,
        event: 'start',
        'content-state': drawn,
        'relevance-score': 50,
        'stale-date': seconds + 600,
        'attributes-type': 'CarillonActivity',
        attributes: { activityId: 'act_1' },
        alert: { title: 'Deploy', body: 'Building' },
        'input-push-token': 1,
      },
      carillon: { type: 'activity' },
    }));

  it('an update has the complete content', () =>
    expect(message('update').apns).toEqual({
      aps: {
        timestamp: seconds + 7,
        event: 'update',
        'content-state': drawn,
        'relevance-score': 50,
        'stale-date': seconds + 600,
      },
      carillon: { type: 'activity' },
    }));

  it('an end has its dismissal date and no stale date', () => {
    const { aps } = apns(message('end'));
    expect(aps).toMatchObject({ event: 'end', 'dismissal-date': seconds + 300, 'content-state': drawn });
    expect(aps).not.toHaveProperty('stale-date');
  });

  it('an activity that waits for a person has a higher relevance', () => {
    const waiting = message('update', {
      content: { props: { ...props, state: 'waiting' }, prompt: null, choices: [] },
    });
    const scores = [message('update'), waiting, message('update', asking())].map(
      (one) => apns(one).aps['relevance-score'],
    );
    expect(scores).toEqual([50, 75, 100]);
  });
});

describe('for Android', () => {
  it('is data only, as strings, with its sequence', () =>
    expect(message('update').fcm).toEqual({
      type: 'activity',
      event: 'update',
      activityId: 'act_1',
      seq: '3',
      contentState: expect.any(String),
      sentAt: '2026-11-20T09:00:00.000Z',
      expiresAt: '2026-11-20T09:10:00.000Z',
    }));

  it('has the same content', () => expect(fcmContent(message('start'))).toEqual(drawn));

  it('an end has its dismissal time', () => {
    const { fcm } = message('end');
    expect(fcm).toMatchObject({ event: 'end', dismissAt: '2026-11-20T09:05:00.000Z' });
    expect(fcm).not.toHaveProperty('expiresAt');
  });
});

it.each([
  [5, false],
  [10, true],
] as const)('at priority %i is urgent: %s', (priority, urgent) =>
  expect(message('update', { operation: operation('update', { priority }) }).urgent).toBe(urgent),
);

describe('a prompt', () => {
  it('has its buttons, and the digest for an answer', () =>
    expect(fcmContent(message('start', asking())).prompt).toEqual({
      id: prompt.id,
      kind: 'approval',
      actions: [
        { id: 'approved', label: 'Ship it' },
        { id: 'denied', label: 'Deny' },
      ],
      actionDigest: prompt.actionDigest,
    }));

  it('for a reply offers the choices', () =>
    expect(fcmContent(message('start', asking({ kind: 'reply' }, ['Now', 'Later']))).prompt.actions).toEqual([
      { id: 'Now', label: 'Now' },
      { id: 'Later', label: 'Later' },
    ]));

  it('rings, since its sender waits for the answer', () =>
    expect(apns(message('start', asking())).aps.alert).toMatchObject({ sound: 'default' }));

  it('has no sound in quiet hours', () => {
    const silent = message('start', { ...asking(), isSilent: true });
    expect(apns(silent).aps.alert).toEqual({ title: 'Deploy', body: 'Building' });
    expect(silent.fcm).toMatchObject({ silent: 'true' });
    expect(message('start', asking()).fcm).not.toHaveProperty('silent');
  });

  it('links to the app when it has no buttons', () => {
    const state = apns(message('start', { ...asking(), isInteractive: false })).aps['content-state'];
    expect(state).toMatchObject({ prompt: null, url: `carillon://prompts/${prompt.id}` });
  });

  it('has no buttons when it has ended', () =>
    expect(fcmContent(message('end', asking()))).toMatchObject({ prompt: null, url: props.url }));
});

describe('a push', () => {
  const sizes = (of: ActivityMessage): number[] => [
    Buffer.byteLength(JSON.stringify(of.apns)),
    Object.entries(of.fcm).reduce(
      (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
      0,
    ),
  ];
  const text = (limit: number) =>
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: limit }),
      fc.string({ unit: fc.constantFrom('🔔', 'é', '"', 'x'), minLength: limit, maxLength: limit }),
    );
  const anyProps = fc
    .record({
      title: text(100),
      subtitle: fc.option(text(100)),
      status: fc.option(text(40)),
      detail: fc.option(text(240)),
      lines: fc.option(fc.array(text(80), { maxLength: 6 })),
      imageUrl: fc.option(fc.constantFrom('https://i.test/', `https://i.test/${'x'.repeat(1_500)}`)),
      url: fc.option(fc.constantFrom('https://l.test/', `https://l.test/${'y'.repeat(900)}`)),
      steps: fc.option(
        fc.array(fc.record({ label: text(32), state: fc.constant('done' as const) }), { maxLength: 12 }),
      ),
    })
    .map((some): ActivityProps => ({ ...props, ...some }))
    // The limits of the API.
    .filter((some) => Buffer.byteLength(JSON.stringify(some)) <= 3_072);

  it('is never too large, whatever it shows', () =>
    fc.assert(
      fc.property(
        anyProps,
        fc.constantFrom('start', 'update', 'end'),
        fc.option(fc.array(text(80), { maxLength: 6 })),
        (some, kind, choices) => {
          const asked = choices && { ...prompt, kind: 'reply' as const, primaryLabel: '🔔'.repeat(24) };
          const content = { props: some, prompt: asked, choices: choices ?? [] };
          for (const size of sizes(message(kind, { content }))) expect(size).toBeLessThanOrEqual(4_096);
        },
      ),
      { numRuns: 300 },
    ));

  it('drops choices before images, and never its title or progress', () => {
    const choices = Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(70)}`);
    const content = { props: { ...props, imageUrl: 'https://i.test/1' }, prompt, choices };
    const state = apns(message('start', { content: { ...content, prompt: { ...prompt, kind: 'reply' } } }))
      .aps['content-state'];
    expect(state).toMatchObject({ title: 'Deploy', progress: 0.25, imageUrl: 'https://i.test/1' });
    expect(state.prompt).toMatchObject({ actions: [], actionDigest: prompt.actionDigest });
  });
});
