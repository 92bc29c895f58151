import { Audience, type Pushed, PushOutcomes, type Reached, saidOfQuiet } from '@carillon/push-client';
import {
  answer,
  type Answer,
  Bus,
  type Context,
  createOnce,
  Handles,
  insistOnSameUse,
  mayBeRepetition,
} from '@carillon/bus';
import {
  Apps,
  DeviceById,
  type NotificationCreated,
  Notifications,
  type NotificationWithdrawn,
  type OncallPageCreated,
  Pages,
  Push,
  SendNotification,
  WithdrawNotification,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, isKept, keepDays, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Notification, notification, send, notificationView, testOf, withdraw } from './notification';

const noDevice = 'No active device. The notification is in the inbox.';

const nobody: Reached = { deviceIds: [] };

type ExistingNotification = NonNullable<Notification>;

const pushOf = ({ notificationId, deviceIds, sentAt }: ExistingNotification): Pushed | undefined =>
  deviceIds.length > 0 ? { subjectId: notificationId, since: sentAt } : undefined;

const messageOf = ({ deviceIds, quietDevices = 0 }: ExistingNotification): { readonly message?: string } => {
  if (quietDevices > 0) return { message: `${saidOfQuiet(quietDevices)} The notification is in the inbox.` };
  return deviceIds.length === 0 ? { message: noDevice } : {};
};

/** What is sent, and in whose name. */
interface Asked {
  readonly input: SendNotification;
  readonly sourceName: string;
  /** Also to devices in their quiet hours. */
  readonly urgent?: boolean;
}

const created = (sent: ExistingNotification, accepted: number): NotificationCreated => ({
  notification: notificationView(sent),
  accepted,
  ...messageOf(sent),
});

@Controller()
export class NotificationHandlers {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Audience) private readonly audience: Audience,
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
  ) {}

  @Handles(Notifications.send)
  async send(
    input: SendNotification,
    context: Context,
  ): Promise<Answer<NotificationCreated | OncallPageCreated>> {
    if (input.oncall !== undefined) return this.page(input.oncall, input, context);
    const sourceName = context.caller.tokenName ?? 'Agent';
    return this.sendOnce(Notifications.send, { input, sourceName }, context);
  }

  @Handles(Notifications.test)
  test({ id }: DeviceById, context: Context): Promise<Answer<NotificationCreated>> {
    const asked = { input: testOf(id), sourceName: 'Carillon', urgent: true };
    return this.sendOnce(Notifications.test, asked, context);
  }

  private sendOnce(
    { subject }: { readonly subject: string },
    asked: Asked,
    context: Context,
  ): Promise<Answer<NotificationCreated>> {
    return createOnce(context, {
      idOf: (...parts) => deriveId('anot', this.clock.ms(), subject, context.caller.tokenId ?? '', ...parts),
      attempt: (id) => this.sendAs(id, asked, context),
      exists: (id) => this.isThere(id),
    });
  }

  /** The key of the request becomes the page's: an open page absorbs requests with the same key. */
  private page(
    groupId: string,
    { title, body, url, appId }: SendNotification,
    context: Context,
  ): Promise<Answer<OncallPageCreated>> {
    const dedupKey = context.idempotency?.key;
    return this.bus.ask(
      Pages.raise,
      {
        groupId,
        title,
        body,
        source: 'notification',
        ...(url !== undefined && { url }),
        ...(appId !== undefined && { appId }),
        ...(dedupKey !== undefined && { dedupKey }),
      },
      context,
    );
  }

  @Handles(Notifications.withdraw)
  async withdraw({ id }: WithdrawNotification, context: Context): Promise<Answer<NotificationWithdrawn>> {
    const notificationId = id.replace(/^notification:/, '');
    const sent = await this.find(notificationId);
    if (!sent || sent.notificationId !== notificationId || sent.accountId !== context.caller.accountId)
      throw new Refused('notification.not_found');
    if (!isKept(sent.sentAt, this.clock.now(), this.keptDays)) throw new Refused('notification.not_found');

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

  /**
   * Sends the notification under this id, or repeats the first answer when the same key has started the id's stream.
   */
  private async sendAs(
    id: string,
    { input, sourceName, urgent }: Asked,
    context: Context,
  ): Promise<Answer<NotificationCreated>> {
    const at = this.clock.now();
    const reached = await this.reached(id, { input, urgent }, context);
    const refusal = reached instanceof Refused ? reached : undefined;
    const decide = send({
      id,
      accountId: context.caller.accountId,
      tokenId: context.caller.tokenId ?? null,
      sourceName,
      input,
      ...(reached instanceof Refused ? nobody : reached),
      fingerprint: context.idempotency?.fingerprint ?? null,
      at,
    });
    const append = () =>
      this.log.transact(
        notification,
        streamTail(id),
        (found) => {
          insistOnSameUse(found?.sentAt, at);
          if (!found && refusal) throw refusal;
          return decide(found);
        },
        metadataOf(context),
        { expectNew: true },
      );
    return this.outcomes.answer(id, { append, pushOf, shown: created }, context);
  }

  /**
   * The recipients, if the sender can open the app; returns the refusal instead of throwing it when the request is a
   * repetition, since the first one may have been accepted.
   */
  private async reached(
    id: string,
    { input, urgent }: Pick<Asked, 'input' | 'urgent'>,
    context: Context,
  ): Promise<Reached | Refused> {
    try {
      if (input.appId !== undefined) await this.bus.ask(Apps.visible, { id: input.appId }, context);
      return await this.audience.of(input, context, urgent);
    } catch (error) {
      if (mayBeRepetition(context) && error instanceof Refused && (await this.isThere(id))) return error;
      throw error;
    }
  }

  private isThere(id: string): Promise<boolean> {
    return this.log.exists(notification, streamTail(id));
  }

  private async find(id: string): Promise<Notification> {
    return (await this.log.load(notification, streamTail(id))).state;
  }
}
