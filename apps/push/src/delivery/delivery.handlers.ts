import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type ClearOutcome,
  type DeliveryOutcome,
  DeliveryOf,
  Push,
  type PushReceipt,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type EventMetadata, millis, Refused } from '@carillon/eventing';
import { Clock, setting } from '@carillon/runtime';
import { deriveId, streamTail, uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { isPushed, type Pushed, sourceCategory, subjectsOf } from '../payload/pushed';
import { clearingLifetimeMs, notClearable, titleOfEnd } from './clearing';
import {
  acceptedOf,
  begun,
  type Clearing,
  type Delivery,
  delivery,
  recordClearing,
  report,
} from './delivery';
import { consoleUrlOf, withdrawal } from './message';
import { receiptColumns, receiptOf, type ReceiptRow } from './receipts';
import { receiptsOnRecord } from './reports.service';
import { type PushAddress, PushSender, type SendResult, type Task } from './sender.client';

/** How long a request for a clearing waits for the providers. */
const timeoutMs = 10_000;

/** The state of a push, from the rows, the log or the source event. */
interface FoundPush {
  readonly accountId: string;
  readonly recipients: readonly string[];
  /** That of the pushed event; left out where the log has the stream of the push, which lies in it. */
  readonly partition?: number;
  readonly receipts: readonly PushReceipt[];
}

/** The state of a push with its state in the log and the position of its last event. */
interface RecordedPush extends FoundPush {
  readonly recorded: Delivery;
  readonly position: bigint | undefined;
}

interface AddressRow {
  device_id: string;
  account_id: string;
  platform: PushAddress['platform'];
  push_environment: PushAddress['environment'];
  push_token: string;
  token_since: Date;
}

@Controller()
export class DeliveryHandlers {
  private readonly consoleUrl = consoleUrlOf(setting('CARILLON_BASE_URL', ''));

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(PushSender) private readonly sender: PushSender,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  @Handles(Push.outcome)
  async outcome({ subjectId }: DeliveryOf, context: Context): Promise<Answer<DeliveryOutcome>> {
    const push = await this.recordedPush(subjectId, context);
    return answer(outcomeOf(push), push.position);
  }

  @Handles(Push.report)
  async report({ subjectId }: DeliveryOf, context: Context): Promise<Answer<DeliveryOutcome>> {
    const push = await this.recordedPush(subjectId, context);
    const { accountId, recipients, receipts, recorded } = push;
    if (receipts.length === 0 || recorded?.final || (recorded && recorded.reported !== null))
      return answer(outcomeOf(push), push.position);
    const { state, position } = await this.log.transact(
      delivery,
      subjectId,
      report({ subjectId, accountId, recipients, receipts, final: false, at: this.clock.now() }),
      this.metadata(subjectId, 'report.interim', push, context),
    );
    return answer(outcomeOf({ ...push, receipts: state?.receipts ?? receipts, recorded: state }), position);
  }

  @Handles(Push.clear)
  async clear({ subjectId }: DeliveryOf, context: Context): Promise<Answer<ClearOutcome>> {
    const push = await this.recordedPush(subjectId, context);
    const { accountId, receipts, recorded } = push;
    if (recorded?.cleared) return answer(countsOf(recorded.cleared));
    const reached = receipts.filter(({ status }) => status === 'accepted');
    // These may still receive the push: the process clears each phone once its result is known.
    const left = receipts
      .filter(({ status }) => status === 'pending' || status === 'unknown')
      .map(({ deviceId }) => deviceId);
    const { cleared, unclearable } = await this.clearAll(subjectId, reached, context);
    if (cleared === 0)
      return answer({
        reached: reached.length,
        cleared,
        // Nothing else is under way: these browsers clear it when their pages open.
        ...(left.length === 0 && unclearable === reached.length && { unclearable }),
      });
    const { state, position } = await this.log.transact(
      delivery,
      subjectId,
      recordClearing({ subjectId, accountId, reached: reached.length, cleared, left, at: this.clock.now() }),
      this.metadata(subjectId, 'clear', push, context),
    );
    // From here on no phone rings: the process withdraws waiting retries when it sees the event.
    await this.projections.reached('deliveries', String(position), accountId).catch((error: unknown) => {
      if (!(error instanceof Refused)) throw error;
    });
    return answer(countsOf(state?.cleared ?? { reached: reached.length, cleared }), position);
  }

  /** Sends the command to all devices at once. Returns how many of them the providers accepted it for in time. */
  private async clearAll(
    subjectId: string,
    reached: readonly PushReceipt[],
    { traceparent }: Context,
  ): Promise<{ readonly cleared: number; readonly unclearable: number }> {
    if (reached.length === 0) return { cleared: 0, unclearable: 0 };
    const addresses = new Map((await this.addresses(reached)).map((address) => [address.deviceId, address]));
    const end = this.clock.ms() + timeoutMs;
    const timeout = new AbortController();
    let cleared = 0;
    let unclearable = 0;
    const all = Promise.all(
      reached.map(async ({ id, deviceId }) => {
        const address = addresses.get(deviceId);
        if (!address) return;
        const task = { id: `clear ${id}`, address, traceparent };
        const sent = await this.clearOne(subjectId, task, end, timeout.signal);
        if (sent?.status === 'accepted') cleared += 1;
        else if (sent?.errorCode === notClearable) unclearable += 1;
      }),
    );
    await Promise.race([all, this.clock.sleep(timeoutMs, timeout.signal)]);
    timeout.abort();
    all.catch(() => {});
    return { cleared, unclearable };
  }

  private async clearOne(
    subjectId: string,
    task: Pick<Task, 'id' | 'address' | 'traceparent'>,
    end: number,
    timeout: AbortSignal,
  ): Promise<Extract<SendResult, { to: 'settled' }> | undefined> {
    for (let progress = begun; ;) {
      const sent = await this.sender.send({
        ...task,
        message: withdrawal(subjectId, this.clock.now(), titleOfEnd(undefined), this.consoleUrl),
        expiresAtMs: end + clearingLifetimeMs,
        progress,
        stop: () => (timeout.aborted ? { to: 'lost' } : undefined),
      });
      if (sent.to !== 'wait') return sent.to === 'settled' ? sent : undefined;
      if (sent.untilMs >= end) return undefined;
      progress = sent.progress;
      await this.clock.sleep(sent.untilMs - this.clock.ms(), timeout);
      if (timeout.aborted) return undefined;
    }
  }

  private async addresses(reached: readonly PushReceipt[]): Promise<PushAddress[]> {
    // These phones have the push: also those of an account that is set aside are cleared.
    await this.projections.current('devices');
    const rows = await this.database.query<AddressRow>(
      `SELECT device_id, account_id, platform, push_environment, push_token, token_since FROM devices
       WHERE device_id = ANY($1) AND active`,
      [reached.map(({ deviceId }) => deviceId)],
    );
    return rows.map((row) => ({
      deviceId: row.device_id,
      accountId: row.account_id,
      platform: row.platform,
      environment: row.push_environment,
      sealedToken: row.push_token,
      tokenSinceMs: row.token_since.getTime(),
    }));
  }

  /** Refuses with `delivery.not_found` when the caller's account has no push with this id. */
  private async recordedPush(subjectId: string, { caller }: Context): Promise<RecordedPush> {
    // Rows are read before the log: they are deleted once the log has the final report.
    const rows = await this.database.query<ReceiptRow>(
      `SELECT ${receiptColumns} FROM deliveries WHERE subject_id = $1 ORDER BY device_id`,
      [subjectId],
    );
    const { state: recorded, position } = await this.log.load(delivery, subjectId);
    const found =
      rows.length > 0 && !recorded?.final
        ? {
            accountId: rows[0]!.account_id,
            recipients: rows[0]!.recipients ?? [],
            partition: rows[0]!.partition,
            receipts: rows.map(receiptOf),
          }
        : recorded && recorded.reported !== null
          ? {
              accountId: recorded.accountId,
              recipients: recorded.recipients ?? [],
              receipts: await receiptsOnRecord(this.log, recorded),
            }
          : await this.fromSource(subjectId);
    if (found?.accountId !== caller.accountId) throw new Refused('delivery.not_found');
    return { ...found, recorded, position };
  }

  /** The state of a push that the deliveries process has not processed yet. */
  private async fromSource(subjectId: string): Promise<FoundPush | undefined> {
    const category = sourceCategory(subjectId);
    if (!category) return undefined;
    const [first] = await this.log.store.read(`${category}-${streamTail(subjectId)}`, undefined, 1);
    const sent = first && ({ ...(first.data as object), type: first.type } as Pushed);
    const subject = sent && subjectsOf(sent).find(({ id }) => id === subjectId);
    if (!sent || !subject) return undefined;
    return {
      accountId: subject.accountId,
      recipients: subject.recipients,
      ...partitionIn(first.metadata),
      // A prompt shown as a live activity is not pushed under this id.
      receipts: (isPushed(sent) ? subject.deviceIds : []).map((deviceId) => ({
        id: deriveId('rcp', millis(subject.sentAt), subjectId, deviceId),
        deviceId,
        status: 'pending',
        errorCode: null,
        checkedAt: null,
      })),
    };
  }

  private metadata(
    subjectId: string,
    what: string,
    { accountId, ...push }: FoundPush,
    context: Context,
  ): EventMetadata {
    return {
      commandId: uuidV5(subjectId, `push.${what}`),
      causationId: context.commandId,
      correlationId: context.correlationId,
      accountId,
      ...partitionIn(push),
      actor: { process: 'push.delivery' },
      ...(context.traceparent && { traceparent: context.traceparent }),
    };
  }
}

const partitionIn = ({ partition }: { readonly partition?: number }): { readonly partition?: number } =>
  partition === undefined ? {} : { partition };

const countsOf = ({ reached, cleared }: Clearing): ClearOutcome => ({ reached, cleared });

const outcomeOf = ({ receipts, recorded }: RecordedPush): DeliveryOutcome => ({
  accepted: acceptedOf(receipts),
  targets: Math.max(receipts.length, recorded?.targets ?? 0),
  // A push without receipts has nothing to send, so it is final.
  final: receipts.length === 0 || (recorded?.final ?? false),
  reported: receipts.length === 0 ? 0 : (recorded?.reported ?? null),
});
