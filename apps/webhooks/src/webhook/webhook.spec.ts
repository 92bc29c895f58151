import type {
  WebhookChanged,
  WebhookCreated,
  WebhookDeleted,
  WebhookDisabled,
  WebhookSecretRotated,
} from '@carillon/contracts';
import { fold, instant, millis } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import {
  change,
  create,
  type WebhookCreation,
  disable,
  formerSecretMs,
  remove,
  rotate,
  secretsAt,
  type Webhook,
  webhook,
} from './webhook';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T10:00:00.000Z';
const tomorrow = '2026-11-21T10:00:00.000Z';
/** As the ring would: the same text sealed again is another. */
const value = (text: string, sealed = `sealed ${text}`) => ({
  sealed,
  isSame: ({ sealedValue }: { sealedValue: string }) => sealedValue.endsWith(text),
});

const creation: WebhookCreation = {
  id: 'whk_1',
  accountId: 'usr_1',
  name: 'Bot',
  url: 'https://bot.test/replies',
  preset: 'generic',
  headers: [{ name: 'X-Key', value: value('k1') }],
  events: ['interaction.answered', 'interaction.expired'],
  enabled: true,
  sealedSecret: 'sealed s1',
  at,
};
const created: WebhookCreated = {
  type: 'WebhookCreated',
  webhookId: 'whk_1',
  accountId: 'usr_1',
  name: 'Bot',
  url: 'https://bot.test/replies',
  preset: 'generic',
  headers: [{ name: 'X-Key', sealedValue: 'sealed k1' }],
  events: ['interaction.answered', 'interaction.expired'],
  enabled: true,
  sealedSecret: 'sealed s1',
  createdAt: at,
};
const mine = { id: 'whk_1', accountId: 'usr_1', at: later };
const by = { webhookId: 'whk_1', accountId: 'usr_1' };
const changed = (news: Partial<WebhookChanged>): WebhookChanged => ({
  type: 'WebhookChanged',
  ...by,
  ...news,
  changedAt: later,
});
const renamed = changed({ name: 'Robot' });
const disabled: WebhookDisabled = { type: 'WebhookDisabled', ...by, reason: 'gone', disabledAt: later };
const deleted: WebhookDeleted = { type: 'WebhookDeleted', ...by, deletedAt: later };
const rotated = (n: number, more: Partial<WebhookSecretRotated> = {}): WebhookSecretRotated => ({
  type: 'WebhookSecretRotated',
  ...by,
  sealedSecret: `sealed s${n}`,
  formerUntil: tomorrow,
  rotatedAt: later,
  ...more,
});
const to = (n: number, more: object = {}) => ({
  ...mine,
  sealedSecret: `sealed s${n}`,
  isSame: (sealed: string) => sealed === `sealed s${n}`,
  revokeOld: false,
  ...more,
});
const folded = (
  ...events: Parameters<typeof fold<unknown, any>>[1] extends Iterable<infer E> ? E[] : never
) => fold(webhook, events) as Webhook;

describe('saving a reply webhook', () => {
  it('keeps its secret and the values of its headers sealed', () =>
    given(webhook).when(create(creation)).then(created));
  it('does nothing the second time', () => given(webhook, created).when(create(creation)).thenNothing());
  it('needs a value for each header', () =>
    given(webhook)
      .when(create({ ...creation, headers: [{ name: 'X-Key' }] }))
      .thenRefused('input.invalid', { issues: [{ path: 'headers.0.value', code: 'required' }] }));
});

describe('changing a reply webhook', () => {
  it('records what is different', () =>
    given(webhook, created)
      .when(change({ ...mine, changes: { name: 'Robot', url: creation.url, enabled: true } }))
      .then(renamed));
  it('does nothing the second time', () =>
    given(webhook, created, renamed)
      .when(change({ ...mine, changes: { name: 'Robot' } }))
      .thenNothing());
  it('keeps the other fields', () =>
    expect(folded(created, renamed)).toEqual({
      ...folded(created),
      name: 'Robot',
      updatedAt: later,
    }));
  it('takes the same events in another order for the same', () =>
    given(webhook, created)
      .when(change({ ...mine, changes: { events: ['interaction.expired', 'interaction.answered'] } }))
      .thenNothing());
  it('takes other events', () =>
    given(webhook, created)
      .when(change({ ...mine, changes: { events: ['interaction.expired', 'interaction.canceled'] } }))
      .then(changed({ events: ['interaction.expired', 'interaction.canceled'] })));
  it('switches it off and on', () => {
    const off = changed({ enabled: false });
    given(webhook, created)
      .when(change({ ...mine, changes: { enabled: false } }))
      .then(off);
    given(webhook, created, off)
      .when(change({ ...mine, changes: { enabled: true } }))
      .then(changed({ enabled: true }));
    given(webhook, created, disabled)
      .when(change({ ...mine, changes: { enabled: true } }))
      .then(changed({ enabled: true }));
  });
  it('replaces all headers, and keeps values that are not given', () =>
    given(webhook, created)
      .when(
        change({ ...mine, changes: { headers: [{ name: 'X-New', value: value('n') }, { name: 'x-key' }] } }),
      )
      .then(
        changed({
          headers: [
            { name: 'X-New', sealedValue: 'sealed n' },
            { name: 'x-key', sealedValue: 'sealed k1' },
          ],
        }),
      ));
  it('finds a header as it was, however its value is sealed this time', () => {
    for (const header of [{ name: 'X-Key' }, { name: 'X-Key', value: value('k1', 'sealed again k1') }])
      given(webhook, created)
        .when(change({ ...mine, changes: { headers: [header] } }))
        .thenNothing();
  });
  it('takes all headers away with an empty list', () =>
    given(webhook, created)
      .when(change({ ...mine, changes: { headers: [] } }))
      .then(changed({ headers: [] })));
  it('is refused for a header without a value that was never saved', () =>
    given(webhook, created)
      .when(change({ ...mine, changes: { headers: [{ name: 'X-Key' }, { name: 'X-Other' }] } }))
      .thenRefused('input.invalid', { issues: [{ path: 'headers.1.value' }] }));

  const elsewhere = 'https://other.test/x';
  it('keeps the values of its headers for another path of the same receiver', () => {
    const url = `${new URL(created.url!).origin}/another`;
    given(webhook, created)
      .when(change({ ...mine, changes: { url } }))
      .then(changed({ url }));
  });
  it('told another receiver the values of headers that were saved for the first', () => {
    given(webhook, created)
      .when(change({ ...mine, changes: { url: elsewhere } }))
      .then(changed({ url: elsewhere, headers: [] }));
    const news = { name: 'X-New', value: value('n') };
    given(webhook, created)
      .when(change({ ...mine, changes: { url: elsewhere, headers: [news] } }))
      .then(changed({ url: elsewhere, headers: [{ name: 'X-New', sealedValue: 'sealed n' }] }));
    given(webhook, created)
      .when(change({ ...mine, changes: { url: elsewhere, headers: [news, { name: 'X-Key' }] } }))
      .thenRefused('input.invalid', { issues: [{ path: 'headers.1.value', code: 'required' }] });
  });
  it('takes a value that is sent again to another receiver', () =>
    given(webhook, created)
      .when(
        change({
          ...mine,
          changes: { url: elsewhere, headers: [{ name: 'X-Key', value: value('k1', 'sealed again k1') }] },
        }),
      )
      .then(changed({ url: elsewhere, headers: [{ name: 'X-Key', sealedValue: 'sealed again k1' }] })));
  it.each(['https://bot.test:8443/x', 'https://sub.bot.test/x', 'https://bot.test.evil.test/x'])(
    'takes %s for another receiver',
    (url) =>
      given(webhook, { ...created, url: 'https://bot.test/x' })
        .when(change({ ...mine, changes: { url } }))
        .then(changed({ url, headers: [] })),
  );
});

describe('rotating the secret', () => {
  it('keeps the former one for 24 hours', () => {
    given(webhook, created)
      .when(rotate(to(2)))
      .then(rotated(2));
    const state = folded(created, rotated(2));
    const end = millis(later) + formerSecretMs;
    expect(secretsAt(state, later)).toEqual(['sealed s2', 'sealed s1']);
    expect(secretsAt(state, instant(end - 1))).toEqual(['sealed s2', 'sealed s1']);
    expect(secretsAt(state, instant(end))).toEqual(['sealed s2']);
  });
  it('ends the former one at once when that is asked for', () => {
    given(webhook, created)
      .when(rotate(to(2, { revokeOld: true })))
      .then(rotated(2, { formerUntil: null }));
    expect(secretsAt(folded(created, rotated(2, { formerUntil: null })), later)).toEqual(['sealed s2']);
  });
  it('does nothing the second time with a secret of the caller', () => {
    given(webhook, created, rotated(2))
      .when(rotate(to(2)))
      .thenNothing();
    given(webhook, created, rotated(2, { formerUntil: null }))
      .when(rotate(to(2, { revokeOld: true })))
      .thenNothing();
  });
  it('with the secret that it has can still end the former ones', () => {
    const ended = rotated(2, { formerUntil: null });
    given(webhook, created, rotated(2))
      .when(rotate(to(2, { revokeOld: true })))
      .then(ended);
    expect(secretsAt(folded(created, rotated(2), ended), later)).toEqual(['sealed s2']);
  });
  it('twice within a day leaves both former ones their day', () =>
    expect(secretsAt(folded(created, rotated(2), rotated(3)), later)).toEqual([
      'sealed s3',
      'sealed s2',
      'sealed s1',
    ]));
  it('often leaves the three newest former ones', () =>
    expect(secretsAt(folded(created, rotated(2), rotated(3), rotated(4), rotated(5)), later)).toEqual([
      'sealed s5',
      'sealed s4',
      'sealed s3',
      'sealed s2',
    ]));
});

describe('a receiver that is gone', () => {
  const gone = disable({ id: 'whk_1', reason: 'gone', at: later });
  it('is not called any more', () => {
    given(webhook, created).when(gone).then(disabled);
    expect(folded(created, disabled)).toMatchObject({ enabled: false, updatedAt: later });
  });
  it('is switched off once', () => given(webhook, created, disabled).when(gone).thenNothing());
  it('that was deleted already stays so', () => given(webhook, created, deleted).when(gone).thenNothing());
  it('is another one when its id only ends alike', () =>
    given(webhook, created)
      .when(disable({ id: 'whk_x1', reason: 'gone', at: later }))
      .thenNothing());
});

describe('deleting a reply webhook', () => {
  it('ends it', () => {
    given(webhook, created).when(remove(mine)).then(deleted);
    expect(fold(webhook, [created, deleted])).toBeNull();
  });
  it('is refused the second time', () =>
    given(webhook, created, deleted).when(remove(mine)).thenRefused('webhook.unknown'));
});

describe('a reply webhook of another account', () => {
  const theirs = { ...mine, accountId: 'usr_2' };
  const likeMine = { ...mine, id: 'whk_x1' };
  it.each([
    ['is not changed', change({ ...theirs, changes: { name: 'x' } })],
    ['is not rotated', rotate({ ...to(2), accountId: 'usr_2' })],
    ['is not deleted', remove(theirs)],
    ['is not changed by an id that only ends alike', change({ ...likeMine, changes: { name: 'x' } })],
    ['is not deleted by an id that only ends alike', remove(likeMine)],
  ])('%s', (_, decide) => given(webhook, created).when(decide).thenRefused('webhook.unknown'));
});

describe('a reply webhook whose account was deleted', () => {
  it('keeps its entry and loses its text', () =>
    expect(() =>
      fold(webhook, [
        { ...created, name: null, url: null, headers: null, sealedSecret: null } as never,
        renamed,
      ]),
    ).not.toThrow());
});
