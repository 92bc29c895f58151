import { answer, type Answer, type Bus, type Context, Handles } from '@carillon/bus';
import {
  Activities,
  type ActivityAdmitted,
  type ActivityPushed,
  type ActivityCapacityLent,
  AudienceOf,
  type Contract,
  FindTargets,
  type GroupAudience,
  type InteractionEnded,
  type LaneReadiness,
  LanesOf,
  type LanesReport,
  type LiveActivity,
  Push,
  ReachOf,
  ReadinessOf,
  Teams,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decider, type DomainEvent, type Instant, plus, Refused } from '@carillon/eventing';
import {
  Clock,
  type ManualClock,
  type RunningService,
  ServiceModule,
  sharedBus,
  startService,
} from '@carillon/runtime';
import { deriveId, fingerprint, newId, streamTail } from '@carillon/signing';
import {
  end,
  indexesOf,
  interactionAsked,
  newAccount,
  outcomeOf,
  poison,
  rejoin,
  rowsReach,
  setAside,
  startParts,
  startServiceProcess,
  streamMetadata,
} from '@carillon/testkit';
import { Controller, Module } from '@nestjs/common';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { ActivitiesModule } from '../activities.module';
import { begun } from './props';
import { activityOrder } from './activity-order';

/** The existing device groups and their members. */
const groups = new Map<string, string[]>();

/** Replaces push and teams: every account has two phones that can show activities, and nothing is settled yet. */
@Controller()
class Phones {
  @Handles(Push.activityTargets)
  targets({ deviceIds }: FindTargets): Answer<{ deviceIds: string[] }> {
    if (deviceIds?.includes('dev_gone')) throw new Refused('device.not_found');
    return answer({ deviceIds: (deviceIds ?? ['dev_1', 'dev_2']).filter((id) => id !== 'dev_old') });
  }

  @Handles(Teams.audience)
  audience({ groupId }: AudienceOf): Answer<GroupAudience> {
    const accountIds = groups.get(groupId);
    if (!accountIds) throw new Refused('device_group.not_found');
    return answer({ teamId: 'team_1', accountIds, deviceIds: [], ownerIds: [] });
  }

  @Handles(Push.reach)
  reach({ accountIds }: ReachOf) {
    const devices = accountIds.map((accountId) => ({ deviceId: `dev_of_${accountId}`, accountId }));
    return answer({ devices });
  }

  @Handles(Push.lanes)
  lanes(_asked: LanesOf): Answer<LanesReport> {
    return answer({
      accepted: 0,
      failed: 0,
      queued: 2,
      superseded: 0,
      ready: 0,
      queuedStarts: 2,
      awaitingUpdateToken: 0,
      nextStartAt: null,
      warnings: [],
    });
  }

  @Handles(Push.readiness)
  readiness(_asked: ReadinessOf): Answer<{ readiness: Record<string, LaneReadiness> }> {
    return answer({ readiness: {} });
  }
}
@Module({ imports: [ServiceModule.for({ name: 'push' })], controllers: [Phones] })
class PhonesModule {}

let parts: Awaited<ReturnType<typeof startParts>>;
let phones: RunningService;
let service: RunningService;
let bus: Bus;
let log: Log;
let clock: ManualClock;

beforeAll(async () => {
  parts = await startParts();
  phones = await startService({ name: 'push', module: PhonesModule });
  service = await startService({ name: 'activities', module: ActivitiesModule });
  bus = await sharedBus.take();
  log = service.get(Log);
  clock = service.get(Clock) as ManualClock;
}, 60_000);
afterAll(async () => {
  await service?.close();
  await phones?.close();
  await sharedBus.release();
  await parts?.stop();
}, 60_000);

/** Polls until the check passes; reports the last failure. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + 20_000; ;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
const tokenOf = (accountId: string): string => `tok_${streamTail(accountId)}`;
interface Asking {
  readonly tokenId?: string;
  readonly key?: string;
  readonly print?: string;
  readonly after?: string;
}
const contextOf = (
  accountId: string,
  { tokenId = tokenOf(accountId), key, print = 'p', after }: Asking = {},
): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId, ...(tokenId && { tokenId }), tokenName: 'CI' },
  deadline: Date.now() + 10_000,
  ...(after !== undefined && { after }),
  ...(key !== undefined && { idempotency: { key, fingerprint: print.padEnd(64, '0') } }),
});
const ask = async <Input, Output>(
  accountId: string,
  contract: Contract<Input, Output>,
  input: Input,
  asking?: Asking,
): Promise<Output> => (await bus.ask(contract, input, contextOf(accountId, asking))).value;
const start = (accountId: string, more: object = {}, asking?: Asking) =>
  ask(accountId, Activities.start, { props: { title: 'Build' }, ...more } as never, asking);
const patch = (accountId: string, identifier: string, more: object = {}, asking?: Asking) =>
  ask(accountId, Activities.update, { identifier, props: { progress: 0.5 }, ...more } as never, asking);
const read = async (accountId: string, identifier: string): Promise<LiveActivity> => {
  const after = String(await log.store.head());
  return (await ask(accountId, Activities.get, { identifier }, { after })).activity;
};
/** Retries after conflicts, as the 409 tells a caller to do. */
const insisting = async (work: () => Promise<unknown>): Promise<string> => {
  for (;;) {
    const reason = await outcomeOf(work());
    if (reason !== 'stream.concurrent_update') return reason;
  }
};
const eventsOf = async (stream: string) =>
  (await log.open(await log.store.read(stream))).map(({ event }) => event);
const typesOf = async (stream: string) => (await log.store.read(stream)).map(({ type }) => type);
const boardOf = (accountId: string) => `activity_board-${accountId}`;
const activityOf = (id: string) => `activity-${streamTail(id)}`;
const asIs = (category: string): Decider<null, DomainEvent> => ({
  category,
  initial: null,
  evolve: () => null,
  personal: {},
});
const append = (category: string, id: string, accountId: string, ...events: DomainEvent[]) =>
  log.appendTo(asIs(category), id, events, 'any', streamMetadata(accountId, { accountId }));

describe('two replicas', () => {
  let other: ChildProcess;
  beforeAll(async () => {
    // It serves a share of the requests.
    other = await startServiceProcess('activities', parts.env);
  }, 60_000);
  afterAll(() => end(other));

  it('start exactly five activities on a device, however many are requested at once', async () => {
    const account = newAccount();
    const reasons = await Promise.all(
      Array.from({ length: 24 }, () => insisting(() => start(account, { deviceIds: ['dev_1'] }))),
    );
    expect(reasons.filter((reason) => reason === 'done')).toHaveLength(5);
    expect(reasons.filter((reason) => reason === 'activity.capacity_exceeded')).toHaveLength(19);
    expect(await typesOf(boardOf(account))).toEqual(Array(5).fill('ActivityAdmitted'));
  }, 60_000);

  it('start one activity under a key', async () => {
    const account = newAccount();
    const reasons = await Promise.all(
      Array.from({ length: 12 }, () => insisting(() => start(account, { key: 'build' }))),
    );
    expect(reasons.filter((reason) => reason === 'done')).toHaveLength(1);
    expect(reasons.filter((reason) => reason === 'activity.key_conflict')).toHaveLength(11);
  }, 60_000);

  it('grant exactly four of many concurrent high-priority updates', async () => {
    const account = newAccount();
    const { activity } = await start(account);
    const reasons = await Promise.all(
      Array.from({ length: 16 }, () => insisting(() => patch(account, activity.id, { priority: 'high' }))),
    );
    expect(reasons).toEqual(Array(16).fill('done'));
    const granted = (await eventsOf(activityOf(activity.id))).map(
      (event) => (event as { priorityReason?: string }).priorityReason,
    );
    expect(granted.filter((reason) => reason === 'milestone')).toHaveLength(4);
    expect(granted.filter((reason) => reason === 'budget_exhausted')).toHaveLength(12);
    expect(await read(account, activity.id)).toMatchObject({ sequence: 17 });
  }, 60_000);

  it('make one change for two concurrent requests with one idempotency key', async () => {
    const account = newAccount();
    const { activity } = await start(account);
    const answers = await Promise.allSettled(
      Array.from({ length: 8 }, () => patch(account, activity.id, {}, { key: 'k' })),
    );
    expect(await typesOf(activityOf(activity.id))).toEqual(['ActivityStarted', 'ActivityUpdated']);
    for (const settled of answers)
      if (settled.status === 'rejected')
        expect(['idempotency.in_progress', 'stream.concurrent_update']).toContain(
          (settled.reason as Refused).reason,
        );
    expect(await patch(account, activity.id, {}, { key: 'k' })).toMatchObject({
      idempotent: true,
      activity: { sequence: 2 },
    });
  }, 60_000);
});

describe('a start', () => {
  it('is in the log, with its text sealed, before it is answered', async () => {
    const account = newAccount();
    const { activity, ...answered } = await start(account, {
      props: { title: 'Secret build', progress: 0.1 },
      key: 'build',
      expiresInSeconds: 60,
    });
    expect(answered).toEqual({
      accepted: 0,
      failed: 0,
      queued: 2,
      apnsPriority: 10,
      priorityReason: 'start',
    });
    expect(activity).toMatchObject({
      key: 'build',
      status: 'starting',
      sequence: 1,
      accepted: 0,
      failed: 0,
      endedAt: null,
      props: { title: 'Secret build', progress: 0.1, layout: 'standard', state: 'running', steps: null },
      readiness: { queuedStarts: 2 },
    });
    expect(activity.expiresAt).toBe(plus(activity.createdAt, 60_000));
    expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted']);
    expect(await typesOf(activityOf(activity.id))).toEqual(['ActivityStarted']);
    const kept = JSON.stringify(
      [...(await log.store.read(boardOf(account))), ...(await log.store.read(activityOf(activity.id)))],
      (_, value) => (typeof value === 'bigint' ? String(value) : (value as unknown)),
    );
    expect(kept).not.toContain('Secret');
    const { readiness: _, ...same } = await read(account, 'build');
    expect(same).toEqual((({ readiness: __, ...rest }) => rest)(activity));
  });

  it('is refused completely when one device is unknown or none can show it', async () => {
    const account = newAccount();
    expect(await outcomeOf(start(account, { deviceIds: ['dev_1', 'dev_gone'] }))).toBe('device.not_found');
    expect(await outcomeOf(start(account, { deviceIds: ['dev_old'] }))).toBe('activity.no_eligible_devices');
    expect(await outcomeOf(start(account, { deviceGroupId: 'dgr_1' }))).toBe('device_group.not_found');
    expect(await outcomeOf(start(account, { replace: true }))).toBe('input.invalid');
    expect(await outcomeOf(start(account, { deviceGroupId: 'dgr_1', deviceIds: ['dev_1'] }))).toBe(
      'input.invalid',
    );
    expect(await log.store.read(boardOf(account))).toEqual([]);
  });

  it('with a used key repeats the first answer, or is refused', async () => {
    const account = newAccount();
    const first = await start(account, {}, { key: 'k' });
    expect(first.idempotent).toBeUndefined();
    const again = await start(account, {}, { key: 'k' });
    expect(again).toEqual({ ...first, idempotent: true });
    expect(await outcomeOf(start(account, {}, { key: 'k', print: 'other' }))).toBe('idempotency.key_reused');
    const others = await start(account, {}, { key: 'k', tokenId: 'tok_2' });
    expect(others.activity.id).not.toBe(first.activity.id);
    await patch(account, first.activity.id);
    expect(await start(account, {}, { key: 'k' })).toMatchObject({
      idempotent: true,
      priorityReason: 'start',
      activity: { id: first.activity.id, sequence: 2, props: { progress: 0.5 } },
    });
  });

  it('replaces the running activity with its key, and counts that activity’s devices', async () => {
    const account = newAccount();
    const first = await start(account, { key: 'build' });
    expect(await outcomeOf(start(account, { key: 'build' }))).toBe('activity.key_conflict');
    const second = await start(account, { key: 'build', replace: true });
    expect(second).toMatchObject({ replaced: 2 });
    expect(await typesOf(activityOf(first.activity.id))).toEqual(['ActivityStarted', 'ActivityEnded']);
    expect(await read(account, first.activity.id)).toMatchObject({ status: 'ended' });
    expect((await read(account, 'build')).id).toBe(second.activity.id);
    expect(await patch(account, 'build')).toMatchObject({ activity: { id: second.activity.id } });
  });
});

describe('an activity', () => {
  it('is found by its key while it runs, and after that until another one uses the key', async () => {
    const account = newAccount();
    const first = await start(account, { key: 'build' });
    await ask(account, Activities.end, { identifier: 'build' });
    expect(await outcomeOf(patch(account, 'build'))).toBe('activity.not_running');
    expect((await read(account, 'build')).id).toBe(first.activity.id);
    const second = await start(account, { key: 'build' });
    expect((await read(account, 'build')).id).toBe(second.activity.id);
    expect((await patch(account, 'build')).activity.id).toBe(second.activity.id);
  });

  it('belongs only to its account and token', async () => {
    const account = newAccount();
    const { activity } = await start(account, { key: 'build' });
    const others: [string, Asking][] = [
      [newAccount(), {}],
      [account, { tokenId: 'tok_2' }],
    ];
    for (const [who, asking] of others)
      for (const identifier of [activity.id, 'build']) {
        const after = String(await log.store.head());
        expect(await outcomeOf(ask(who, Activities.get, { identifier }, { ...asking, after }))).toBe(
          'activity.not_found',
        );
        expect(await outcomeOf(patch(who, identifier, {}, asking))).toBe('activity.not_found');
        expect(await outcomeOf(ask(who, Activities.end, { identifier }, asking))).toBe('activity.not_found');
        expect((await ask(who, Activities.list, {}, { ...asking, after })).items).toEqual([]);
      }
    expect((await ask(account, Activities.list, {}, { tokenId: '' })).items).toHaveLength(1);
  });

  it('ends once, releases its capacity at once, and repeats the answer when it is ended again', async () => {
    const account = newAccount();
    const five = await Promise.all(Array.from({ length: 5 }, () => start(account)));
    expect(await outcomeOf(start(account))).toBe('activity.capacity_exceeded');
    const { id } = five[2]!.activity;
    expect(
      await ask(account, Activities.end, {
        identifier: id,
        props: { status: 'Done' },
        dismissAfterSeconds: 0,
      }),
    ).toMatchObject({
      activity: { status: 'ended', sequence: 2, props: { status: 'Done' } },
      priorityReason: 'end',
      apnsPriority: 10,
      queued: 2,
    });
    expect(await outcomeOf(start(account))).toBe('done');
    const again = await ask(account, Activities.end, { identifier: id });
    expect(again).toMatchObject({ idempotent: true, accepted: 0, failed: 0, queued: 0 });
    expect(again.activity.endedAt).toBe((await read(account, id)).endedAt);
    expect(await typesOf(activityOf(id))).toEqual(['ActivityStarted', 'ActivityEnded']);
  });

  it('keeps an idempotency key of a change for the activity that it was used on', async () => {
    const account = newAccount();
    const first = await start(account, { key: 'build' });
    const changed = await patch(account, 'build', {}, { key: 'k' });
    await ask(account, Activities.end, { identifier: 'build' }, { key: 'k' });
    await start(account, { key: 'build' });
    const { activity, ...counts } = await patch(account, 'build', {}, { key: 'k' });
    expect({ ...counts, id: activity.id, status: activity.status }).toEqual({
      ...(({ activity: _, ...rest }) => rest)(changed),
      idempotent: true,
      id: first.activity.id,
      status: 'ended',
    });
    expect(await outcomeOf(patch(account, 'build', {}, { key: 'k', print: 'other' }))).toBe(
      'idempotency.key_reused',
    );
  });

  it('is the only one changed by one key in concurrent requests', async () => {
    const account = newAccount();
    for (let round = 0; round < 5; round += 1) {
      const ids = [await start(account), await start(account)].map(({ activity }) => activity.id);
      const key = `k${round}`;
      const reasons = await Promise.all(
        ids.map((id, n) => outcomeOf(patch(account, id, {}, { key, print: `p${n}` }))),
      );
      expect(reasons.sort()).toEqual(['done', 'idempotency.key_reused']);
      const changed = await Promise.all(ids.map(async (id) => (await typesOf(activityOf(id))).length));
      expect(changed.sort()).toEqual([1, 2]);
      for (const identifier of ids) await ask(account, Activities.end, { identifier });
    }
  });

  it('is not changed or ended by a repetition for the previous activity with its name', async () => {
    const account = newAccount();
    for (let round = 0; round < 5; round += 1) {
      const first = await start(account, { key: 'build' });
      const asking = { key: `k${round}` };
      await patch(account, 'build', {}, asking);
      await ask(account, Activities.end, { identifier: 'build' }, asking);
      // The answer that there is nothing to end is repeated too.
      const nothing = { key: `n${round}` };
      expect(await ask(account, Activities.end, { identifier: 'build' }, nothing)).toMatchObject({
        idempotent: true,
        activity: { id: first.activity.id },
      });
      const { activity: next } = await start(account, { key: 'build' });
      for (const repeat of [
        patch(account, 'build', {}, asking),
        ask(account, Activities.end, { identifier: 'build' }, asking),
        ask(account, Activities.end, { identifier: 'build' }, nothing),
      ])
        expect(await repeat).toMatchObject({ idempotent: true, activity: { id: first.activity.id } });
      expect(await typesOf(activityOf(next.id))).toEqual(['ActivityStarted']);
      await ask(account, Activities.end, { identifier: next.id });
    }
  });

  it('frees the key of a refused change for another request', async () => {
    const account = newAccount();
    const { activity: over } = await start(account);
    await ask(account, Activities.end, { identifier: over.id });
    const { activity: runs } = await start(account);
    const asking = (print: string) => ({ key: 'k', print });
    expect(await outcomeOf(patch(account, over.id, {}, asking('a')))).toBe('activity.not_running');
    expect(await outcomeOf(patch(account, 'act_unknown', {}, asking('b')))).toBe('activity.not_found');
    expect(await outcomeOf(patch(account, runs.id, {}, asking('c')))).toBe('done');
    expect(await outcomeOf(patch(account, over.id, {}, asking('a')))).toBe('idempotency.key_reused');
  });

  it('is changed once by the repetition when the first request crashed before the change', async () => {
    const account = newAccount();
    const first = await start(account, { key: 'build' });
    const hash = fingerprint([account, tokenOf(account), Activities.update.subject, 'k']);
    await append('activity_command', hash, account, {
      type: 'ActivityCommandClaimed',
      accountId: account,
      activityId: first.activity.id,
      fingerprint: 'p'.padEnd(64, '0'),
      claimedAt: clock.now(),
    } as DomainEvent);
    const repeat = () => patch(account, 'build', {}, { key: 'k' });
    expect(await outcomeOf(repeat())).toBe('idempotency.in_progress');
    await clock.advance(10_000);
    expect(await outcomeOf(patch(account, 'build', {}, { key: 'k', print: 'other' }))).toBe(
      'idempotency.key_reused',
    );
    expect(await repeat()).toMatchObject({ activity: { id: first.activity.id, sequence: 2 } });
    expect(await repeat()).toMatchObject({ idempotent: true, activity: { sequence: 2 } });
    expect(await typesOf(activityOf(first.activity.id))).toEqual(['ActivityStarted', 'ActivityUpdated']);
  });

  it('has a status derived from its devices, and releases capacity and key when it has failed on all of them', async () => {
    const account = newAccount();
    const { activity } = await start(account, { key: 'build' });
    const pushed = (deviceId: string, outcome: ActivityPushed['outcome'], sequence = 1) =>
      append('lane', `${streamTail(activity.id)}${deviceId}`, account, {
        type: 'ActivityPushed',
        activityId: activity.id,
        deviceId,
        accountId: account,
        operation: sequence === 1 ? 'start' : 'update',
        sequence,
        outcome,
        errorCode: null,
        pushedAt: clock.now(),
      } as DomainEvent);
    await pushed('dev_1', 'accepted');
    expect(await read(account, 'build')).toMatchObject({ status: 'starting', accepted: 1, failed: 0 });
    await pushed('dev_2', 'failed');
    expect(await read(account, 'build')).toMatchObject({ status: 'partial', accepted: 1, failed: 1 });
    expect(await patch(account, 'build')).toMatchObject({ activity: { status: 'partial', sequence: 2 } });
    await pushed('dev_1', 'failed', 2);
    expect(await read(account, 'build')).toMatchObject({ status: 'failed', accepted: 0, failed: 1 });
    expect(await outcomeOf(patch(account, activity.id))).toBe('activity.not_running');
    expect(await ask(account, Activities.end, { identifier: activity.id })).toMatchObject({
      idempotent: true,
      activity: { status: 'failed' },
    });
    await eventually(async () =>
      expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted', 'ActivityReleased']),
    );
    expect(await outcomeOf(start(account, { key: 'build' }))).toBe('done');
    // Followers of the activity are told its end.
    expect(await typesOf(activityOf(activity.id))).toEqual([
      'ActivityStarted',
      'ActivityUpdated',
      'ActivityFailed',
    ]);
    expect(await read(account, activity.id)).toMatchObject({ status: 'failed', sequence: 2, failed: 1 });
  });

  it('is listed by status and key, newest first, in pages', async () => {
    const account = newAccount();
    const ids: string[] = [];
    for (let index = 0; index < 4; index += 1)
      ids.unshift((await start(account, { key: `n${index}` })).activity.id);
    await ask(account, Activities.end, { identifier: ids[1]! });
    const list = async (input: object = {}) =>
      ask(account, Activities.list, input as never, { after: String(await log.store.head()) });
    expect((await list()).items.map(({ id }) => id)).toEqual(ids);
    expect((await list({ status: ['ended', 'expired'] })).items.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await list({ key: 'n0' })).items.map(({ id }) => id)).toEqual([ids[3]]);
    const first = await list({ limit: 3 });
    expect(first.items).toHaveLength(3);
    const second = await list({ limit: 3, cursor: first.nextCursor });
    expect(second).toMatchObject({ items: [{ id: ids[3] }], nextCursor: null });
    expect((await list({ limit: 4 })).nextCursor).toBeNull();
    expect(await outcomeOf(list({ cursor: first.nextCursor, key: 'n0' }))).toBe('list.invalid_cursor');
  });
});

/** An admission by a process that crashed directly after it. */
const admitted = (accountId: string, more: Partial<ActivityAdmitted> = {}): ActivityAdmitted => {
  const admittedAt = clock.now();
  return {
    type: 'ActivityAdmitted',
    activityId: newId('act', clock.ms()),
    accountId,
    tokenId: tokenOf(accountId),
    sourceName: 'CI',
    key: null,
    props: begun({ title: 'Build' }),
    prompt: null,
    deviceIds: ['dev_1'],
    replacedId: null,
    fingerprint: null,
    admittedAt,
    expiresAt: plus(admittedAt, 28_800_000),
    ...more,
  };
};
/** Advances the clock once all events of the log have been processed. */
const advance = async (ms: number) => {
  for (const name of ['commands', 'activities'])
    await rowsReach(service.get(Projections), name, await log.store.head());
  await clock.advance(ms);
};

describe('a process that crashes', () => {
  it('between admission and start leaves the start to another process', async () => {
    const account = newAccount();
    const left = admitted(account);
    await append('activity_board', account, account, left);
    await advance(2_000);
    expect(await typesOf(activityOf(left.activityId))).toEqual(['ActivityStarted']);
    expect(await read(account, left.activityId)).toMatchObject({ createdAt: left.admittedAt });
    await advance(10_000);
    expect(await typesOf(activityOf(left.activityId))).toEqual(['ActivityStarted']);
  });

  it('after admitting a replacement leaves the end of the replaced activity and the start of the new one to another process', async () => {
    const account = newAccount();
    const { activity } = await start(account, { key: 'build' });
    const left = admitted(account, { key: 'build', replacedId: activity.id });
    await append('activity_board', account, account, left);
    await advance(2_000);
    expect(await eventsOf(activityOf(activity.id))).toMatchObject([
      { type: 'ActivityStarted' },
      { type: 'ActivityEnded', reason: 'replaced', dismissAfterSeconds: 0 },
    ]);
    expect((await read(account, 'build')).id).toBe(left.activityId);
  });

  it('after an end leaves the release of the capacity to another process', async () => {
    const account = newAccount();
    const { activity } = await start(account);
    await append('activity', streamTail(activity.id), account, {
      type: 'ActivityEnded',
      activityId: activity.id,
      accountId: account,
      props: activity.props,
      reason: 'ended',
      dismissAfterSeconds: 0,
      key: null,
      sequence: 2,
      endedAt: clock.now(),
    } as DomainEvent);
    await advance(2_000);
    expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted', 'ActivityReleased']);
  });

  it('before answering a request with a key leaves the answer to a repetition, ten seconds later', async () => {
    const account = newAccount();
    const activityId = deriveId('act', clock.ms(), Activities.start.subject, tokenOf(account), 'k', '0');
    const left = admitted(account, { activityId, fingerprint: 'p'.padEnd(64, '0') });
    await append('activity_board', account, account, left);
    await clock.advance(5);
    expect(await outcomeOf(start(account, {}, { key: 'k' }))).toBe('idempotency.in_progress');
    await advance(10_001);
    expect(await start(account, {}, { key: 'k' })).toMatchObject({
      idempotent: true,
      queued: 2,
      activity: { id: activityId, createdAt: left.admittedAt },
    });
  });
});

describe('a deadline', () => {
  it('expires an activity once, and releases its key and its capacity', async () => {
    const account = newAccount();
    const { activity } = await start(account, { key: 'build', expiresInSeconds: 60 });
    await advance(40_000);
    expect(await read(account, activity.id)).toMatchObject({ status: 'starting' });
    await advance(20_000);
    expect(await typesOf(activityOf(activity.id))).toEqual(['ActivityStarted', 'ActivityExpired']);
    expect(await read(account, 'build')).toMatchObject({ status: 'expired', sequence: 1 });
    expect(await outcomeOf(patch(account, 'build'))).toBe('activity.not_running');
    expect(await ask(account, Activities.end, { identifier: 'build' })).toMatchObject({
      idempotent: true,
      activity: { status: 'expired' },
    });
    expect(await outcomeOf(start(account, { key: 'build' }))).toBe('done');
    expect((await typesOf(boardOf(account))).slice(0, 2)).toEqual(['ActivityAdmitted', 'ActivityReleased']);
  });

  it('applies to reads and changes even when its timer is late', async () => {
    const account = newAccount();
    const { activity } = await start(account, { key: 'build', expiresInSeconds: 60 });
    const database = service.get(Database);
    await rowsReach(service.get(Projections), 'commands', await log.store.head());
    await database.query(`DELETE FROM timers WHERE key = $1`, [`expire:${activity.id}`]);
    await advance(60_000);
    expect(await typesOf(activityOf(activity.id))).toEqual(['ActivityStarted']);
    expect(await read(account, activity.id)).toMatchObject({
      status: 'expired',
      endedAt: activity.expiresAt,
      sequence: 1,
    });
    const { items } = await ask(account, Activities.list, { status: ['expired'] });
    expect(items.map(({ id }) => id)).toEqual([activity.id]);
    expect((await ask(account, Activities.list, { status: ['starting'] })).items).toEqual([]);
    expect(await outcomeOf(patch(account, activity.id))).toBe('activity.not_running');
    expect(await outcomeOf(start(account, { key: 'build' }))).toBe('done');
  });
});

describe('an event that cannot be applied', () => {
  const behind = 'projection.behind';

  it('hides the activities of its account, which go on, and of no other', async () => {
    const projections = service.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    groups.set('dgr_all', [ann, bob]);
    const { activity: former } = await start(ann, { key: 'former' });
    await ask(ann, Activities.end, { identifier: former.id });
    expect(await read(ann, 'former')).toMatchObject({ status: 'ended' });
    const heal = await poison(service.get(Database), {
      table: 'activities',
      column: 'account_id',
      value: ann,
    });
    const { activity } = await start(ann, { key: 'build', deviceGroupId: 'dgr_all' });
    await setAside(projections, 'activities');
    const copyOf = async () =>
      (await ask(bob, Activities.get, { identifier: activity.id }, { tokenId: '' })).activity;
    const asks: (() => Promise<unknown>)[] = [
      () => read(ann, activity.id),
      () => read(ann, former.id),
      () => ask(ann, Activities.list, {}),
      () => patch(ann, 'former'),
      // It is bob's, too, and has no row yet.
      copyOf,
    ];
    for (const each of asks) expect(await outcomeOf(each())).toBe(behind);
    expect(await outcomeOf(patch(ann, 'build'))).toBe('done');
    const { activity: other } = await start(bob);
    expect(await read(bob, other.id)).toMatchObject({ status: 'starting' });
    expect((await ask(bob, Activities.list, {})).items.map(({ id }) => id)).toEqual([other.id]);

    await ask(ann, Activities.end, { identifier: 'build' });
    await heal();
    await rejoin(projections, 'activities', ann);
    expect(await read(ann, 'build')).toMatchObject({ status: 'ended', sequence: 3 });
    expect(await copyOf()).toMatchObject({ status: 'ended', sequence: 3 });
  });

  it('delays the commands of its account, until it is dropped, and of no other', async () => {
    const projections = service.get(Projections);
    const [ann, bob] = [newAccount(), newAccount()];
    await append('activity_board', ann, ann, admitted(ann, { admittedAt: 'never' }));
    await setAside(projections, 'commands');
    const [mine, other] = [
      (await start(ann, { expiresInSeconds: 60 })).activity,
      (await start(bob, { expiresInSeconds: 60 })).activity,
    ];
    await advance(60_000);
    expect(await typesOf(activityOf(other.id))).toEqual(['ActivityStarted', 'ActivityExpired']);
    expect(await typesOf(activityOf(mine.id))).toEqual(['ActivityStarted']);
    expect(await projections.settleSetAside('commands', ann, 'retry')).toBe(false);
    await rejoin(projections, 'commands', ann, 'drop');
    await advance(1_000);
    expect(await typesOf(activityOf(mine.id))).toEqual(['ActivityStarted', 'ActivityExpired']);
    expect(await typesOf(activityOf(other.id))).toEqual(['ActivityStarted', 'ActivityExpired']);
  });
});

describe('the activity of a prompt', () => {
  const promptOf = (accountId: string, expiresAt: Instant, interactionId = newId('int', clock.ms())) => ({
    interactionId,
    admit: () =>
      ask(accountId, Activities.admit, {
        prompt: {
          id: interactionId,
          kind: 'approval',
          primaryLabel: 'Ship it',
          secondaryLabel: null,
          actionDigest: 'sha256:1',
        },
        title: 'Deploy?',
        text: 'Version 3 is ready.',
        sourceName: 'CI',
        expiresAt,
      }),
  });
  const asked = (accountId: string, interactionId: string, liveActivityId: string, expiresAt: Instant) =>
    append(
      'interaction',
      streamTail(interactionId),
      accountId,
      interactionAsked({
        interactionId,
        accountId,
        presentation: 'live_activity',
        liveActivityId,
        askedAt: clock.now(),
        expiresAt,
      }),
    );
  const over = (
    accountId: string,
    interactionId: string,
    liveActivityId: string,
    ending: Partial<InteractionEnded>,
  ) =>
    append('interaction', streamTail(interactionId), accountId, {
      interactionId,
      accountId,
      liveActivityId,
      ...ending,
    } as InteractionEnded);
  const settled = (activityId: string, ...types: string[]) =>
    eventually(async () => expect(await typesOf(activityOf(activityId))).toEqual(types));

  it('has its capacity before the prompt is asked, starts once it is, and ends with its answer', async () => {
    const account = newAccount();
    const expiresAt = plus(clock.now(), 600_000);
    const { interactionId, admit } = promptOf(account, expiresAt);
    const given = await admit();
    expect(given).toEqual({
      activityId: expect.stringMatching(/^act_/),
      deviceIds: ['dev_1', 'dev_2'],
      queued: 2,
    });
    expect(await admit()).toEqual(given);
    const { activityId } = given;
    expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted']);
    expect(await typesOf(activityOf(activityId))).toEqual([]);
    await asked(account, interactionId, activityId, expiresAt);
    await settled(activityId, 'ActivityStarted');
    expect(await admit()).toEqual(given);
    expect(await read(account, activityId)).toMatchObject({
      key: null,
      expiresAt,
      props: {
        title: 'Deploy?',
        detail: 'Version 3 is ready.',
        state: 'waiting',
        interaction: { id: interactionId, kind: 'approval', primaryLabel: 'Ship it', secondaryLabel: null },
      },
    });
    expect(await patch(account, activityId, { priority: 'high' })).toMatchObject({
      apnsPriority: 10,
      priorityReason: 'interaction',
    });
    await over(account, interactionId, activityId, { type: 'InteractionAnswered', answeredAt: clock.now() });
    await settled(activityId, 'ActivityStarted', 'ActivityUpdated', 'ActivityEnded');
    expect((await eventsOf(activityOf(activityId))).at(-1)).toMatchObject({
      reason: 'answered',
      dismissAfterSeconds: 0,
    });
    await eventually(async () =>
      expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted', 'ActivityReleased']),
    );
  });

  it('ends when the prompt is canceled, even immediately', async () => {
    const account = newAccount();
    const expiresAt = plus(clock.now(), 600_000);
    const { interactionId, admit } = promptOf(account, expiresAt);
    const { activityId } = await admit();
    await asked(account, interactionId, activityId, expiresAt);
    await over(account, interactionId, activityId, { type: 'InteractionCanceled', canceledAt: clock.now() });
    await settled(activityId, 'ActivityStarted', 'ActivityEnded');
    expect((await eventsOf(activityOf(activityId))).at(-1)).toMatchObject({ reason: 'canceled' });
  });

  it('expires with the prompt, once', async () => {
    const account = newAccount();
    const expiresAt = plus(clock.now(), 60_000);
    const { interactionId, admit } = promptOf(account, expiresAt);
    const { activityId } = await admit();
    await asked(account, interactionId, activityId, expiresAt);
    await settled(activityId, 'ActivityStarted');
    await advance(60_000);
    await over(account, interactionId, activityId, { type: 'InteractionExpired', expiredAt: clock.now() });
    await advance(5_000);
    expect(await typesOf(activityOf(activityId))).toEqual(['ActivityStarted', 'ActivityExpired']);
  });

  it('releases its capacity when the prompt is not asked within a minute', async () => {
    const account = newAccount();
    const expiresAt = plus(clock.now(), 600_000);
    const { admit } = promptOf(account, expiresAt);
    const { activityId } = await admit();
    await advance(40_000);
    expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted']);
    await advance(20_000);
    expect(await typesOf(boardOf(account))).toEqual(['ActivityAdmitted', 'ActivityReleased']);
    expect(await typesOf(activityOf(activityId))).toEqual([]);
    expect(await outcomeOf(read(account, activityId))).toBe('activity.not_found');
  });

  it('needs capacity like other activities', async () => {
    const account = newAccount();
    await Promise.all(Array.from({ length: 5 }, () => start(account, { deviceIds: ['dev_1'] })));
    const { admit } = promptOf(account, plus(clock.now(), 600_000));
    expect(await outcomeOf(admit())).toBe('activity.capacity_exceeded');
  });
});

describe('capacity on the devices of a group', () => {
  const phoneOf = (accountId: string): string => `dev_of_${accountId}`;
  const inGroup = (...accountIds: string[]): { deviceGroupId: string } => {
    const deviceGroupId = newId('dgr', clock.ms());
    groups.set(deviceGroupId, accountIds);
    return { deviceGroupId };
  };
  const listOf = async (accountId: string): Promise<readonly LiveActivity[]> => {
    const after = String(await log.store.head());
    return (await ask(accountId, Activities.list, {}, { tokenId: '', after })).items;
  };
  const free = async (accountId: string): Promise<number> => {
    const started: string[] = [];
    for (;;) {
      try {
        started.push((await start(accountId, { deviceIds: [phoneOf(accountId)] })).activity.id);
      } catch {
        break;
      }
    }
    for (const identifier of started) await ask(accountId, Activities.end, { identifier });
    return started.length;
  };

  it('is lent by the boards of the device owners, and released with the end', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const { activity } = await start(ann, inGroup(ann, bob));
    expect(await typesOf(boardOf(bob))).toEqual(['ActivityCapacityLent']);
    expect(await listOf(bob)).toMatchObject([{ id: activity.id, status: 'starting' }]);
    expect(await free(bob)).toBe(4);
    expect((await eventsOf(activityOf(activity.id)))[0]).toMatchObject({
      accountId: ann,
      recipients: [bob],
      deviceIds: [phoneOf(ann), phoneOf(bob)].sort(),
    });
    await ask(ann, Activities.end, { identifier: activity.id });
    expect(await free(bob)).toBe(5);
    expect((await listOf(bob)).at(-1)).toMatchObject({
      id: activity.id,
      status: 'ended',
    });
  });

  it('is released when another board or its own has none', async () => {
    const [ann, bob, cid] = [newAccount(), newAccount(), newAccount()];
    const group = inGroup(ann, bob, cid);
    for (let n = 0; n < 5; n += 1) await start(cid, { deviceIds: [phoneOf(cid)] });
    expect(await outcomeOf(start(ann, group))).toBe('activity.capacity_exceeded');
    expect(await free(bob)).toBe(5);
    const [dan, eve] = [newAccount(), newAccount()];
    for (let n = 0; n < 5; n += 1) await start(dan, { deviceIds: [phoneOf(dan)] });
    expect(await outcomeOf(start(dan, inGroup(dan, eve)))).toBe('activity.capacity_exceeded');
    expect(await free(eve)).toBe(5);
  });

  it('is borrowed once by two concurrent copies of a request', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const group = inGroup(ann, bob);
    for (let n = 0; n < 4; n += 1) await start(bob, { deviceIds: [phoneOf(bob)] });
    const answers = await Promise.allSettled(
      [1, 2].map(() => start(ann, { ...group, key: 'oven' }, { key: 'once' })),
    );
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const answered of answers)
      if (answered.status === 'rejected') expect(answered.reason.reason).toBe('idempotency.in_progress');
    await ask(ann, Activities.end, { identifier: 'oven' });
    expect(await free(bob)).toBe(1);
  });

  it('passes from the replaced activity to its replacement', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const group = inGroup(ann, bob);
    for (let n = 0; n < 4; n += 1) await start(bob, { deviceIds: [phoneOf(bob)] });
    await start(ann, { ...group, key: 'oven' });
    for (let n = 0; n < 3; n += 1) await start(ann, { ...group, key: 'oven', replace: true });
    expect(await free(bob)).toBe(0);
    // The end of the replaced activity releases its capacity on all lending boards.
    await advance(3_000);
    await eventually(async () => {
      const types = await typesOf(boardOf(bob));
      expect(types.filter((type) => type === 'ActivityCapacityLent')).toHaveLength(4);
      expect(types.filter((type) => type === 'ActivityCapacityReturned')).toHaveLength(3);
    });
    await ask(ann, Activities.end, { identifier: 'oven' });
    expect(await free(bob)).toBe(1);
  });

  it('is released after two minutes when the borrowing process crashed', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const lent: ActivityCapacityLent = {
      type: 'ActivityCapacityLent',
      loanId: randomUUID(),
      accountId: bob,
      borrowerId: ann,
      activityId: newId('act', clock.ms()),
      deviceIds: [phoneOf(bob)],
      lentAt: clock.now(),
      expiresAt: plus(clock.now(), 28_800_000),
    };
    await append('activity_board', bob, bob, lent);
    const { activity } = await start(ann, inGroup(ann, bob));
    expect(await free(bob)).toBe(3);
    await advance(100_000);
    expect(await free(bob)).toBe(3);
    await advance(20_000);
    expect(await free(bob)).toBe(4);
    // Capacity in use is kept.
    await ask(ann, Activities.end, { identifier: activity.id });
    expect(await free(bob)).toBe(5);
  });

  it('is released when the prompt that it was borrowed for is not asked', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const asked = {
      prompt: {
        id: newId('int', clock.ms()),
        kind: 'approval',
        primaryLabel: null,
        secondaryLabel: null,
        actionDigest: `sha256:${'0'.repeat(64)}`,
      },
      title: 'Deploy?',
      text: 'Version 3 is ready.',
      sourceName: 'CI',
      expiresAt: plus(clock.now(), 600_000),
      ...inGroup(ann, bob),
    } as const;
    expect(await ask(ann, Activities.admit, asked as never)).toMatchObject({ recipients: [bob], queued: 2 });
    expect(await free(bob)).toBe(4);
    await advance(60_000);
    await eventually(async () => expect(await typesOf(boardOf(bob))).toContain('ActivityCapacityReturned'));
    expect(await free(bob)).toBe(5);
  });
});

it('a long board is truncated, and keeps the running activities', async () => {
  const account = newAccount();
  const { activity } = await start(account, { key: 'build', deviceIds: ['dev_1'] });
  const past = Array.from({ length: 248 }, () => {
    const { activityId } = admitted(account);
    return [
      admitted(account, { activityId }),
      { type: 'ActivityReleased', activityId, accountId: account, releasedAt: clock.now() },
    ];
  });
  await append('activity_board', account, account, ...past.flat());
  const { id } = (await start(account)).activity;
  await ask(account, Activities.end, { identifier: activity.id });
  expect(await log.store.read(boardOf(account))).toHaveLength(499);
  await start(account, { deviceIds: ['dev_1'] });
  await eventually(async () => {
    const [first] = await log.store.read(boardOf(account));
    expect(first).toMatchObject({ type: 'ActivityAdmitted', revision: 497n });
  });
  await ask(account, Activities.end, { identifier: id });
  for (let count = 0; count < 4; count += 1) await start(account, { deviceIds: ['dev_1'] });
  expect(await outcomeOf(start(account, { deviceIds: ['dev_1'] }))).toBe('activity.capacity_exceeded');
}, 60_000);

describe('the text of a deleted account', () => {
  const forget = (accountId: string) =>
    append('account', streamTail(accountId), accountId, {
      type: 'AccountForgotten',
      accountId,
      forgottenAt: clock.now(),
    } as DomainEvent);
  const titlesOf = async (activityId: string) => {
    await rowsReach(service.get(Projections), 'activities', await log.store.head());
    return service
      .get(Database)
      .query<{ title: string | null }>(
        `SELECT props ->> 'title' AS title FROM activities WHERE activity_id = $1 ORDER BY account_id`,
        [activityId],
      );
  };
  const shared = async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    groups.set('dgr_deletion', [ann, bob]);
    const { activity } = await start(ann, { deviceGroupId: 'dgr_deletion' });
    expect(await titlesOf(activity.id)).toEqual([{ title: 'Build' }, { title: 'Build' }]);
    return { ann, bob, id: activity.id };
  };
  const pushed = (accountId: string, recipient: string, activityId: string) =>
    append('lane', `${streamTail(activityId)}dev_1`, accountId, {
      type: 'ActivityPushed',
      activityId,
      deviceId: 'dev_1',
      accountId,
      recipients: [recipient],
      operation: 'start',
      sequence: 1,
      outcome: 'accepted',
      errorCode: null,
      pushedAt: clock.now(),
    } as DomainEvent);

  it('is cleared from the rows of every account, and stays away when the activity goes on', async () => {
    const { ann, bob, id } = await shared();
    await forget(ann);
    await eventually(async () => expect(await titlesOf(id)).toEqual([{ title: null }, { title: null }]));
    await pushed(ann, bob, id);
    expect(await titlesOf(id)).toEqual([{ title: null }, { title: null }]);
    const { items } = await ask(bob, Activities.list, {}, { tokenId: '' });
    expect(items).toMatchObject([{ id, props: { title: '' } }]);
  });

  it('is hidden while a transaction has the row locked, and is not written back by the projection', async () => {
    const { ann, bob, id } = await shared();
    const other = await service.get(Database).connect();
    await other.query(`BEGIN`);
    await other.query(`SELECT FROM activities WHERE activity_id = $1 FOR UPDATE`, [id]);
    await forget(ann);
    const position = String(await log.store.head());
    const { items } = await ask(bob, Activities.list, {}, { tokenId: '', after: position });
    expect(items).toMatchObject([{ id, props: { title: '' } }]);
    await pushed(ann, bob, id);
    await eventually(async () => {
      const { rows } = await other.query(
        `SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`,
      );
      expect(rows).toHaveLength(1);
    });
    await other.query(`UPDATE activities SET props = NULL, prompt = NULL WHERE activity_id = $1`, [id]);
    await other.query(`COMMIT`);
    await other.end();
    expect(await titlesOf(id)).toEqual([{ title: null }, { title: null }]);
    await clock.advance(1_000);
  });
});

it('the view rebuilt from the log is the same', async () => {
  const rows = async () => [
    await service.get(Database).query(`SELECT * FROM activities ORDER BY activity_id, account_id`),
  ];
  await rowsReach(service.get(Projections), 'activities', await log.store.head());
  const before = await rows();
  expect(before[0]!.length).toBeGreaterThan(30);
  await service.get(Projections).rebuild('activities');
  expect(await rows()).toEqual(before);
});

it('the list of activities has indexes in its order', async () => {
  expect(await indexesOf(service.get(Database), 'activities')).toEqual(
    expect.arrayContaining([`(account_id, ${activityOrder.index})`, `(token_id, ${activityOrder.index})`]),
  );
});
