import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type ActivityStarted,
  type LaneReadiness,
  LanesOf,
  type LanesReport,
  Push,
  ReadinessOf,
  RegisterActivityToken,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { instant, Refused } from '@carillon/eventing';
import { Clock, isKept, keepDays, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { device, isOf } from '../device/device';
import type { Lane } from './lane';
import {
  isAwaitingToken,
  isReady,
  isStartQueued,
  isTokenDelayed,
  nextStartAt,
  statusOf,
  supersededBy,
} from './lane-status';
import { laneRecord, laneTail, registerToken } from './record';

interface LaneRowOfActivity {
  activity_id: string;
  lane: Lane;
}

@Controller()
export class LaneHandlers {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Push.lanes)
  async lanes({ activityId, sequence, after }: LanesOf, { caller }: Context): Promise<Answer<LanesReport>> {
    await this.projections.reached('lanes', after);
    const lanes = (await this.rows([activityId], caller.accountId)).map(({ lane }) => lane);
    const asked = sequence ?? Math.max(0, ...lanes.map(newestOf));
    const statuses = lanes.map((lane) => statusOf(lane, asked));
    const count = (status: string): number => statuses.filter((one) => one === status).length;
    return answer({
      ...this.readinessOf(lanes),
      accepted: count('accepted'),
      failed: count('failed'),
      queued: count('queued'),
      superseded: lanes.reduce((sum, lane) => sum + supersededBy(lane, asked), 0),
    });
  }

  @Handles(Push.readiness)
  async readiness(
    { activityIds }: ReadinessOf,
    { caller }: Context,
  ): Promise<Answer<{ readiness: Record<string, LaneReadiness> }>> {
    await this.projections.current('lanes');
    const lanes = new Map<string, Lane[]>();
    for (const { activity_id: id, lane } of await this.rows(activityIds, caller.accountId))
      lanes.set(id, [...(lanes.get(id) ?? []), lane]);
    return answer({
      readiness: Object.fromEntries([...lanes].map(([id, of]) => [id, this.readinessOf(of)])),
    });
  }

  @Handles(Push.registerActivityToken)
  async registerToken(input: RegisterActivityToken, context: Context): Promise<Answer<{ ok: true }>> {
    const { deviceId, activityId, token, environment } = input;
    const { accountId, sessionId } = context.caller;
    const { state } = await this.log.load(device, streamTail(deviceId));
    const isGone = state?.inactive === 'removed' || state?.inactive === 'moved';
    if (state?.deviceId !== deviceId || !isOf(state, accountId, sessionId) || isGone)
      throw new Refused('device.not_found');
    if (!(await this.isOn(activityId, deviceId))) throw new Refused('activity.not_found');
    const { position } = await this.log.transact(
      laneRecord,
      laneTail(activityId, deviceId),
      registerToken({
        activityId,
        deviceId,
        accountId,
        token,
        environment,
        registeredAt: this.clock.now(),
      }),
      metadataOf(context),
    );
    return answer({ ok: true }, position);
  }

  /** Whether the device is one of the activity's devices. */
  private async isOn(activityId: string, deviceId: string): Promise<boolean> {
    const [first] = await this.log.store.read(`activity-${streamTail(activityId)}`, undefined, 1);
    if (first?.type !== 'ActivityStarted') return false;
    const started = first.data as ActivityStarted;
    return (
      started.activityId === activityId &&
      started.deviceIds.includes(deviceId) &&
      isKept(started.startedAt, this.clock.now(), this.keptDays)
    );
  }

  private rows(activityIds: readonly string[], accountId: string): Promise<LaneRowOfActivity[]> {
    return this.database.query<LaneRowOfActivity>(
      `SELECT activity_id, lane FROM lanes
       WHERE activity_id = ANY($1) AND (account_id = $2 OR recipients ? $2)`,
      [activityIds, accountId],
    );
  }

  private readinessOf(lanes: readonly Lane[]): LaneReadiness {
    const nowMs = this.clock.ms();
    const starts = lanes.flatMap((lane) => nextStartAt(lane) ?? []);
    return {
      ready: lanes.filter(isReady).length,
      queuedStarts: lanes.filter(isStartQueued).length,
      awaitingUpdateToken: lanes.filter(isAwaitingToken).length,
      nextStartAt: starts.length > 0 ? instant(Math.min(...starts)) : null,
      warnings: lanes.some((lane) => isTokenDelayed(lane, nowMs)) ? ['update_token_delayed'] : [],
    };
  }
}

const newestOf = ({ waiting, settled }: Lane): number =>
  Math.max(0, ...waiting.map(({ sequence }) => sequence), ...settled.map(({ sequence }) => sequence));
