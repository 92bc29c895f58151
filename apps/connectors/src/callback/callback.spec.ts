import { createHash } from 'node:crypto';
import type { CallbackConsumed, CallbackRecorded } from '@carillon/contracts';
import { fold } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { type Consumption, callback, consume, record, signatureOf } from './callback';

const at = '2026-11-20T09:00:00.000Z';
const timestamp = 1_795_165_200;
const body = '{"type":"interaction.answered"}';
const [key, former, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2), Buffer.alloc(32, 3)];
const recorded: CallbackRecorded = {
  type: 'CallbackRecorded',
  callbackId: 'cbd_1',
  connectorId: 'con_1',
  accountId: 'usr_1',
  deliveryId: 'whd_1',
  path: '/hooks?x=1',
  body,
  timestamp,
  recordedAt: at,
};
const consumed: CallbackConsumed = {
  type: 'CallbackConsumed',
  callbackId: 'cbd_1',
  connectorId: 'con_1',
  accountId: 'usr_1',
  timestamp,
  consumedAt: at,
};
const signed = (keys: readonly Buffer[], id = 'cbd_1', time = timestamp) =>
  signatureOf({ id, timestamp: time, body }, keys);
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const shown: Consumption = {
  callbackId: 'cbd_1',
  connectorId: 'con_1',
  timestamp,
  signature: signed([key]),
  bodySha256: digest(body),
  keys: [key, former],
  wallMs: timestamp * 1000 + 2_000,
  at,
};

describe('recording an attempt', () => {
  const { type: _, recordedAt: __, ...rest } = recorded;
  const recording = { ...rest, path: '/hooks?x=1', body };
  it('begins the callback', () =>
    given(callback)
      .when(record({ ...recording, at }))
      .then(recorded));
  it('replaces the one before, under the same id', () => {
    const next = { ...recorded, timestamp: timestamp + 5 };
    given(callback, recorded, consumed)
      .when(record({ ...recording, callbackId: 'cbd_new', timestamp: timestamp + 5, at }))
      .then(next);
    given(callback, recorded, next).when(consume(shown)).thenRefused('callback.invalid');
    given(callback, recorded, consumed, next)
      .when(consume({ ...shown, timestamp: timestamp + 5, signature: signed([key], 'cbd_1', timestamp + 5) }))
      .then({ ...consumed, timestamp: timestamp + 5 });
  });
});

describe('taking a callback over', () => {
  it('happens once', () => {
    given(callback, recorded).when(consume(shown)).then(consumed);
    given(callback, recorded, consumed).when(consume(shown)).thenRefused('callback.invalid');
  });
  it.each<[string, Partial<Consumption>]>([
    ['with the former secret, while it is good', { signature: signed([former]) }],
    ['with one of several signatures', { signature: signed([other, key]) }],
    ['with a digest in capitals', { bodySha256: digest(body).toUpperCase() }],
    ['five minutes later', { wallMs: timestamp * 1000 + 300_000 }],
    ['by a clock that is five minutes behind', { wallMs: timestamp * 1000 - 300_000 }],
  ])('is granted %s', (_, more) =>
    given(callback, recorded)
      .when(consume({ ...shown, ...more }))
      .then(consumed),
  );
  it.each<[string, Partial<Consumption>]>([
    ['of another connector', { connectorId: 'con_2' }],
    ['under another id', { callbackId: 'cbd_2' }],
    ['signed by nobody we know', { signature: signed([other]) }],
    ['signed with a secret that is over', { signature: signed([former]), keys: [key] }],
    ['signed for another id', { signature: signed([key], 'cbd_2') }],
    ['signed for another time', { signature: signed([key], 'cbd_1', timestamp + 1) }],
    ['with another time', { timestamp: timestamp + 1 }],
    ['with an altered signature', { signature: `${signed([key])}A` }],
    ['without a signature', { signature: 'v1,' }],
    ['with an altered body', { bodySha256: digest(`${body} `) }],
    ['when it is stale', { wallMs: timestamp * 1000 + 300_001 }],
    ['when it comes from the future', { wallMs: timestamp * 1000 - 300_001 }],
    ['when there are no secrets', { keys: [] }],
  ])('is refused %s, always with one reason', (_, more) =>
    given(callback, recorded)
      .when(consume({ ...shown, ...more }))
      .thenRefused('callback.invalid', {}),
  );
  it('is refused when nobody has recorded it, or its text is gone', () => {
    given(callback).when(consume(shown)).thenRefused('callback.invalid');
    given(callback, { ...recorded, body: null, path: null })
      .when(consume(shown))
      .thenRefused('callback.invalid');
  });
  it('shows what was recorded', () =>
    expect(fold(callback, [recorded, consumed])).toMatchObject({ path: '/hooks?x=1', isConsumed: true }));
});
