import { PushOutcomes } from '@carillon/push-client';
import {
  answer,
  type Answer,
  Bus,
  type Context,
  Handles,
  keyIsFree,
  KeyUsedUp,
  mayBeRepetition,
  underKey,
} from '@carillon/bus';
import {
  type NotificationCreated,
  Notifications,
  type NotificationWithdrawn,
  Push,
  SendNotification,
  WithdrawNotification,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { type Instant, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Notification, notification, send, shown, withdraw } from './notification';

const noDevice = 'No active device. The notification is in the inbox.';

@Controller()
export class NotificationHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
  ) {}

  @Handles(Notifications.send)
  async send(input: SendNotification, context: Context): Promise<Answer<NotificationCreated>> {
    refuseContradictions(input);
    const { idempotency } = context;
    if (!idempotency) {
      const { subject } = Notifications.send;
      return this.sendAs(deriveId('anot', this.clock.ms(), subject, context.commandId), input, context);
    }
    return underKey({
      idOf: (generation) =>
        deriveId(
          'anot',
          this.clock.ms(),
          Notifications.send.subject,
          context.caller.tokenId ?? '',
          idempotency.key,
          String(generation),
        ),
      attempt: (id) => this.sendAs(id, input, context),
      exists: async (id) => (await this.find(id)) !== null,
    });
  }

  @Handles(Notifications.withdraw)
  async withdraw({ id }: WithdrawNotification, context: Context): Promise<Answer<NotificationWithdrawn>> {
    const notificationId = id.replace(/^notification:/, '');
    if (!notificationId.startsWith('anot_')) throw new Refused('input.invalid_id');
    const sent = await this.find(notificationId);
    if (!sent || sent.notificationId !== notificationId || sent.accountId !== context.caller.accountId)
      throw new Refused('notification.not_found');

    const cleared = sent.withdrawn
      ? { reached: 0, cleared: 0 }
      : (await this.bus.ask(Push.clear, { subjectId: notificationId }, context)).value;
    const { state, position } = await this.log.transact(
      notification,
      streamTail(notificationId),
      withdraw({ ...cleared, at: this.clock.now() }),
      metadataOf(context),
    );
    if (!state?.withdrawn) throw new Error('A withdrawal left no trace');
    return answer({ ok: true, notificationId, ...state.withdrawn }, position);
  }

  /** Sends it under this id, or answers as the first request did when the id's stream was begun by the same key. */
  private async sendAs(
    id: string,
    input: SendNotification,
    context: Context,
  ): Promise<Answer<NotificationCreated>> {
    const at = this.clock.now();
    const deviceIds = await this.targets(id, input, context);
    const outcome = this.outcomes.of(id, context);
    try {
      const decide = send({
        id,
        accountId: context.caller.accountId,
        tokenId: context.caller.tokenId ?? null,
        sourceName: context.caller.tokenName ?? 'Agent',
        input,
        deviceIds: deviceIds ?? [],
        fingerprint: context.idempotency?.fingerprint ?? null,
        at,
      });
      const { state, events, position } = await this.log.transact(
        notification,
        streamTail(id),
        (found) => {
          if (found && keyIsFree(found.sentAt, at)) throw new KeyUsedUp();
          if (!found && !deviceIds) throw new Refused('device.not_found');
          return decide(found);
        },
        metadataOf(context),
        { expectNew: true },
      );
      if (!state) throw new Error('A notification was sent without a trace');
      const created = { notification: shown(state) };
      if (events.length === 0) return answer(await this.replay(state, at, context), position);
      if (state.deviceIds.length === 0)
        return answer({ ...created, accepted: 0, message: noDevice }, position);
      const settled = await outcome.settled();
      return answer({ ...created, accepted: settled.accepted }, settled.position ?? position);
    } finally {
      outcome.forget();
    }
  }

  /** The first answer once more. */
  private async replay(
    sent: NonNullable<Notification>,
    now: Instant,
    context: Context,
  ): Promise<NotificationCreated> {
    const created = { notification: shown(sent), ...(context.idempotency && { idempotent: true }) };
    if (sent.deviceIds.length === 0) return { ...created, accepted: 0, message: noDevice };
    return {
      ...created,
      accepted: await this.outcomes.again(sent.notificationId, sent.sentAt, now, context),
    };
  }

  /** The devices to push to; undefined when a named one is missing but the answer may be a replay. */
  private async targets(
    id: string,
    input: SendNotification,
    context: Context,
  ): Promise<readonly string[] | undefined> {
    try {
      const wanted = input.deviceIds ? { deviceIds: input.deviceIds } : {};
      return (await this.bus.ask(Push.targets, wanted, context)).value.deviceIds;
    } catch (error) {
      const replayable =
        mayBeRepetition(context) && error instanceof Refused && error.reason === 'device.not_found';
      if (replayable && (await this.find(id))) return undefined;
      throw error;
    }
  }

  private async find(id: string): Promise<Notification> {
    return (await this.log.load(notification, streamTail(id))).state;
  }
}

function refuseContradictions(input: SendNotification): void {
  const issue = (path: string, message: string): never => {
    throw new Refused('input.invalid', { issues: [{ path, message, code: 'invalid_value' }] });
  };
  if (input.deviceIds && input.deviceGroupId) issue('deviceGroupId', 'cannot be combined with deviceIds');
  if (input.oncall)
    for (const field of ['deviceIds', 'deviceGroupId', 'summary', 'bodyFormat', 'projectId'] as const)
      if (input[field] !== undefined) issue(field, 'cannot be combined with oncall');
  if (input.oncall) throw new Refused('oncall_group.not_found');
  if (input.deviceGroupId) throw new Refused('device_group.not_found');
  if (input.appId) throw new Refused('app.not_found');
}
