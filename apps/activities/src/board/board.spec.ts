import type { Refused } from '@carillon/eventing';
import { type Decide, fold, plus } from '@carillon/eventing';
import { newId } from '@carillon/signing';
import { given } from '@carillon/testkit';
import fc from 'fast-check';
import { admitted, asking, at, idOf } from '../testbed';
import { admit, board, type Board, cutOf, release, capacityPerDevice, runningUnder } from './board';

const five = [1, 2, 3, 4, 5].map((number) => admitted(number, { deviceIds: ['dev_1'] }));

describe('the capacity on devices', () => {
  it('is reserved with everything that the start needs', () =>
    given(board)
      .when(admit(asking(1)))
      .then(admitted(1)));
  it('is reserved once for an activity that is admitted twice', () =>
    given(board, admitted(1))
      .when(admit(asking(1)))
      .thenNothing());
  it('is reserved once for two ids derived from one idempotency key at different times', () =>
    given(board, admitted(1))
      .when(admit(asking(1, { activityId: `act_01j0000000${idOf(1).slice(-16)}` })))
      .thenNothing());
  it('is refused when the key was used for another request', () =>
    given(board, admitted(1, { fingerprint: 'aa' }))
      .when(admit(asking(1, { fingerprint: 'bb' })))
      .thenRefused('idempotency.key_reused'));
  it('allows five activities per device, and a refusal lists the full devices', () => {
    given(board, ...five)
      .when(admit(asking(6)))
      .thenRefused('activity.capacity_exceeded', { limit: 5, deviceIds: ['dev_1'] });
    given(board, ...five.slice(0, 4))
      .when(admit(asking(6)))
      .then(admitted(6));
  });
  it('remains on other devices', () =>
    given(board, ...five)
      .when(admit(asking(6, { deviceIds: ['dev_2'] })))
      .then(admitted(6, { deviceIds: ['dev_2'] })));
  it('is used by prompts too', () => {
    const prompt = {
      id: 'int_1',
      kind: 'approval',
      primaryLabel: null,
      secondaryLabel: null,
      actionDigest: 'sha256:1',
    } as const;
    given(board, ...five.slice(0, 4), admitted(5, { prompt }))
      .when(admit(asking(6)))
      .thenRefused('activity.capacity_exceeded', { deviceIds: ['dev_1'] });
  });
  it('is free from the deadline on, even without a release', () => {
    const short = admitted(5, { deviceIds: ['dev_1'], expiresAt: plus(at, 60_000) });
    const before = given(board, ...five.slice(0, 4), short);
    before.when(admit(asking(6, { at: plus(at, 59_999) }))).thenRefused('activity.capacity_exceeded');
    before.when(admit(asking(6, { at: plus(at, 60_000) }))).then(admitted(6, { at: plus(at, 60_000) }));
  });
  it('is free when an activity was released, and releasing twice does nothing', () => {
    const of = { activityId: idOf(3), accountId: 'usr_1', at };
    const released = {
      type: 'ActivityReleased',
      activityId: idOf(3),
      accountId: 'usr_1',
      releasedAt: at,
    } as const;
    given(board, ...five)
      .when(release(of))
      .then(released);
    given(board, ...five, released)
      .when(release(of))
      .thenNothing();
    given(board, ...five, released)
      .when(admit(asking(6)))
      .then(admitted(6));
  });
  it('is not reserved without a device that can show the activity', () =>
    given(board)
      .when(admit(asking(1, { deviceIds: [] })))
      .thenRefused('activity.no_eligible_devices'));
});

describe('a key', () => {
  const running = admitted(1, { key: 'build' });
  it('identifies one activity of its token while the activity runs', () => {
    given(board, running)
      .when(admit(asking(2, { key: 'build' })))
      .thenRefused('activity.key_conflict', { activityId: idOf(1) });
    given(board, running)
      .when(admit(asking(2, { key: 'deploy' })))
      .then(admitted(2, { key: 'deploy' }));
    given(board, running)
      .when(admit(asking(2, { key: 'build', tokenId: 'tok_2' })))
      .then(admitted(2, { key: 'build', tokenId: 'tok_2' }));
  });
  it('is free from the deadline on', () =>
    given(board, running)
      .when(admit(asking(2, { key: 'build', at: running.expiresAt })))
      .then(admitted(2, { key: 'build', at: running.expiresAt })));
  it('is taken over with replace, which records the replaced activity', () =>
    given(board, running)
      .when(admit(asking(2, { key: 'build', replace: true })))
      .then(admitted(2, { key: 'build' }, idOf(1))));
  it('can be claimed with replace even when it is free', () =>
    given(board)
      .when(admit(asking(2, { key: 'build', replace: true })))
      .then(admitted(2, { key: 'build' })));
  it('releases the capacity of the replaced activity before reserving its own', () => {
    const full = [...five.slice(0, 4), admitted(5, { key: 'build', deviceIds: ['dev_1'] })];
    given(board, ...full)
      .when(admit(asking(6, { key: 'build', replace: true })))
      .then(admitted(6, { key: 'build' }, idOf(5)));
    given(board, ...full)
      .when(admit(asking(6, { key: 'other', replace: true })))
      .thenRefused('activity.capacity_exceeded');
  });
  it('finds the activity that runs under it', () => {
    const state = fold(board, [running, admitted(2, { key: 'build', tokenId: 'tok_2' })]);
    const under = (tokenId: string, now = at) =>
      runningUnder(state, { tokenId, key: 'build', at: now })?.activityId;
    expect([under('tok_1'), under('tok_2'), under('tok_3')]).toEqual([idOf(1), idOf(2), undefined]);
    expect(under('tok_1', running.expiresAt)).toBeUndefined();
  });
});

describe('the obsolete events of a board', () => {
  const released = (number: number) => ({
    type: 'ActivityReleased' as const,
    activityId: idOf(number),
    accountId: 'usr_1',
    releasedAt: at,
  });
  /** This many activities, started and released. */
  const gone = (count: number) =>
    Array.from({ length: count }, (_, index) => [admitted(index + 10), released(index + 10)]).flat();
  const stateOf = (...events: Parameters<typeof board.evolve>[1][]) => fold(board, events);

  it('are cut before the oldest running activity, and the rest makes the same board', () => {
    const events = [...gone(200), admitted(1), ...gone(49), admitted(2)];
    expect(events).toHaveLength(500);
    const state = stateOf(...events);
    expect(cutOf(state, 499n)).toBe(400n);
    const { running } = stateOf(...events.slice(400));
    expect(running.map(({ activityId }) => activityId)).toEqual([idOf(1), idOf(2)]);
    expect(state.running.map(({ activityId }) => activityId)).toEqual([idOf(1), idOf(2)]);
  });
  it('are cut before its newest event when nothing runs', () =>
    expect(cutOf(stateOf(...gone(250)), 1_499n)).toBe(1_499n));
  it('are kept while few, while the board needs them, and between checks', () => {
    expect(cutOf(stateOf(...gone(200)), 399n)).toBeUndefined();
    expect(cutOf(stateOf(admitted(1), ...gone(249), admitted(2)), 499n)).toBeUndefined();
    expect(cutOf(stateOf(...gone(250), admitted(1)), 500n)).toBeUndefined();
  });
});

/** A plain list model of a history, to compare the board with. */
interface Shown {
  readonly id: string;
  readonly key: string | null;
  readonly devices: readonly string[];
  readonly until: string;
}

it('a board never admits more than five activities on a device, nor two under a key, whatever happens', () => {
  const devices = ['dev_1', 'dev_2', 'dev_3'];
  const step = fc.record({
    seconds: fc.integer({ min: 0, max: 400 }),
    lasts: fc.integer({ min: 60, max: 3_000 }),
    key: fc.constantFrom(null, 'a', 'b', 'c'),
    replace: fc.boolean(),
    devices: fc.subarray(devices, { minLength: 1 }),
    ends: fc.option(fc.nat(20), { freq: 2 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
      let now = at;
      let state: Board = board.initial;
      let model: Shown[] = [];
      const tried = (decide: Decide<Board, Parameters<typeof board.evolve>[1]>): string | undefined => {
        try {
          state = fold(board, decide(state), state);
          return undefined;
        } catch (error) {
          return (error as Refused).reason;
        }
      };
      steps.forEach((one, number) => {
        now = plus(now, one.seconds * 1000);
        model = model.filter(({ until }) => until > now);
        if (one.ends !== null) {
          const [ended] = model.splice(one.ends % Math.max(1, model.length), 1);
          if (ended) tried(release({ activityId: ended.id, accountId: 'usr_1', at: now }));
        }
        const id = newId('act', Date.parse(now) + number);
        const expiresAt = plus(now, one.lasts * 1000);
        const under = one.key === null ? undefined : model.find(({ key }) => key === one.key);
        const left = model.filter((other) => !(one.replace && other === under));
        const full = one.devices.some(
          (device) => left.filter((other) => other.devices.includes(device)).length >= capacityPerDevice,
        );
        const expected =
          under && !one.replace ? 'activity.key_conflict' : full ? 'activity.capacity_exceeded' : undefined;
        const said = tried(
          admit(
            asking(0, {
              activityId: id,
              key: one.key,
              replace: one.replace && one.key !== null,
              deviceIds: one.devices,
              expiresAt,
              at: now,
            }),
          ),
        );
        expect(said).toBe(expected);
        if (said === undefined)
          model = [...left, { id, key: one.key, devices: one.devices, until: expiresAt }];
      });
      expect(
        state.running.filter(({ expiresAt }) => expiresAt > now).map(({ activityId }) => activityId),
      ).toEqual(model.map(({ id }) => id));
    }),
  );
});
