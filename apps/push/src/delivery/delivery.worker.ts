import { Bus } from '@carillon/bus';
import type { AnyEvent, PushReceipt, ReceiptStatus } from '@carillon/contracts';
import { type Claim, Database, isTooLarge, Log, Queue, type Taken } from '@carillon/event-store';
import { type EventMetadata, instant, type Recorded } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { pushOf } from '../payload/payload';
import { isPushed } from '../payload/pushed';
import type { Message } from '../transport/transport';
import { Slots } from '../transport/slots';
import { Batches } from './batches';
import { clearedBy, clearingResult, notReached } from './clearing';
import {
  acceptedOf,
  begun,
  type Delivery,
  delivery,
  endClearing,
  furtherOf,
  furtherReceipts,
  noteReceipts,
  type Progress,
  report,
} from './delivery';
import { Alert, withdrawal } from './message';
import { type Address, Sender, type Sent } from './sender.client';

/** A row of work, owned by this process: one push, or its clearing, to one device. */
export interface Work {
  /** What is pushed; or `clearingOf` what is taken off the phone. */
  readonly subjectId: string;
  readonly deviceId: string;
  readonly deliveryId: string;
  readonly accountId: string;
  /** The stream whose first event says what is pushed. */
  readonly source: string;
  readonly position: string;
  /** To how many devices the subject goes. */
  readonly targets: number;
  readonly expiresAtMs: number;
  readonly progress: Progress;
  /** Somebody may have worked on it before. */
  readonly doubtful: boolean;
  /** It is not to ring any more. */
  readonly unwanted: boolean;
  readonly address: Address | 'inactive' | 'unknown';
  readonly owner: number;
}

/** A row of work with its device, as the database gives it. */
export interface WorkRow {
  subject_id: string;
  device_id: string;
  delivery_id: string;
  account_id: string;
  source: string;
  position: string;
  targets: number;
  expires_at: Date;
  failures: number;
  throttles: number;
  ambiguous: boolean;
  doubtful: boolean;
  unwanted: boolean;
  device_account_id: string | null;
  platform: Address['platform'];
  push_environment: Address['environment'];
  push_token: string | null;
  token_since: Date;
}

/** What a statement on `deliveries w` with its device `d` gives a `WorkRow`. */
export const workColumns = `w.subject_id, w.device_id, w.delivery_id, w.account_id, w.source, w.position, w.targets,
  w.expires_at, w.failures, w.throttles, w.ambiguous, w.doubtful, w.unwanted, d.account_id AS device_account_id,
  d.platform, d.push_environment, d.push_token, d.token_since`;

export function workOf(row: WorkRow, owner: number): Work {
  const { failures, throttles, ambiguous } = row;
  return {
    subjectId: row.subject_id,
    deviceId: row.device_id,
    deliveryId: row.delivery_id,
    accountId: row.account_id,
    source: row.source,
    position: row.position,
    targets: row.targets,
    expiresAtMs: row.expires_at.getTime(),
    progress: { ...begun, failures, throttles, ambiguous },
    doubtful: row.doubtful,
    unwanted: row.unwanted,
    address:
      row.device_account_id === null
        ? 'unknown'
        : row.push_token === null
          ? 'inactive'
          : {
              deviceId: row.device_id,
              accountId: row.device_account_id,
              platform: row.platform,
              environment: row.push_environment,
              sealedToken: row.push_token,
              tokenSinceMs: row.token_since.getTime(),
            },
    owner,
  };
}

interface Group {
  readonly subjectId: string;
  readonly accountId: string;
  readonly correlationId: string;
  superseded: boolean;
}

interface Saved {
  readonly work: Work;
  readonly sent: Exclude<Sent, { to: 'lost' }>;
  readonly at: string;
}

interface Receipt {
  readonly subjectId: string;
  readonly accountId: string;
  readonly correlationId: string;
  readonly receipts: readonly PushReceipt[];
}

interface SettledRow {
  subject_id: string;
  account_id: string;
  device_id: string;
  delivery_id: string;
  state: PushReceipt['status'];
  error_code: string | null;
  checked_at: Date | null;
}

/** Works of one push, or of one clearing, that were taken together. */
interface Job {
  readonly works: readonly Work[];
  /** The event that says what is pushed, where it is at hand. */
  readonly cause?: Recorded<AnyEvent> | undefined;
}

const takeAtOnce = 500;
const readsAtOnce = 32;
/** What was not begun so long after it was taken is left to whoever finds it next. */
const beginWithinMs = 60_000;
/** What could not be begun, since a part was away, is tried again after this. */
const beginAgainMs = 5_000;
/** What is known of a push whose other devices are slow is written down after this. */
const earlyMs = 500;
/** What failed in a way that nobody has thought of is tried again after this. */
const afterFailureMs = 60_000;
/** A clearing looks again after this whether the push itself has ended, should nobody tell it. */
const lookAgainMs = 2_000;

type Settled = Extract<Sent, { to: 'settled' }>;

const settledAs = (status: Settled['status'], errorCode: string | null): Settled => ({
  to: 'settled',
  status,
  errorCode,
});

/** Nobody wants it any more; a try, perhaps of one who died, may have got through all the same. */
const superseded = ({ doubtful }: Work, { ambiguous }: Progress): Settled =>
  settledAs(doubtful || ambiguous ? 'unknown' : 'error', 'superseded');

/** Does the work that the deliveries process writes down, and reports each push when all its devices are settled. */
@Injectable()
export class DeliveryWorker extends Queue<Job> {
  readonly name = 'deliveries';
  override readonly capacity = 4_000;
  private readonly groups = new Set<Group>();
  /** How many rows each account has in hand here. */
  private readonly inHandOf = new Map<string, number>();
  private readonly saves: Batches<Saved>;
  private readonly checks: Batches<string>;
  private readonly reads = new Slots(readsAtOnce);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Sender) private readonly sender: Sender,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super();
    this.saves = new Batches((saved) => this.write(saved));
    this.checks = new Batches((subjectIds) => this.reportSettled(subjectIds));
    sender.onTaken((credential) => this.watch(this.free(credential), 'Held pushes were not released'));
  }

  /** Under what rows may be written that this process has in hand at once. */
  override claim(): Claim | undefined {
    return super.claim();
  }

  /** How many rows of an account it has in hand: half of what there is room for is left to the others, always. */
  has(accountId: string): number {
    return this.inHandOf.get(accountId) ?? 0;
  }

  /** Begins work that was just written down as this process's own. */
  begin(works: readonly Work[], causes: ReadonlyMap<string, Recorded<AnyEvent>>): void {
    for (const [subjectId, of] of groupBy(works, (work) => work.subjectId))
      this.adopt({ works: of, cause: causes.get(subjectId) }, of[0]!.owner);
  }

  /** Nobody wants these any more: what was not sent yet is not sent. */
  supersede(subjectIds: readonly string[]): void {
    const ids = new Set(subjectIds);
    for (const group of this.groups) if (ids.has(group.subjectId)) group.superseded = true;
    this.watch(this.checks.add(...subjectIds), 'A push was not reported');
  }

  private watch(work: Promise<unknown>, failure: string): void {
    work.catch((error: unknown) => {
      if (this.isRunning) this.logger.error({ err: error }, failure);
    });
  }

  // ------------------------------------------------------------------------------------------------ owning

  protected async take({ owner, ownedSeconds, room }: Claim): Promise<Taken<Job>> {
    const limit = Math.min(takeAtOnce, Math.ceil(room / 2));
    const full = [...this.inHandOf].filter(([, count]) => count >= room).map(([accountId]) => accountId);
    const rows = await this.database.query<WorkRow>(
      `WITH due AS (
         SELECT subject_id, device_id FROM deliveries
         WHERE state = 'waiting' AND owner IS NULL AND due_at <= $1 AND account_id <> ALL ($5)
         ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED),
       w AS (
         UPDATE deliveries u SET owner = $3, owned_until = now() + make_interval(secs => $4)
         FROM due WHERE u.subject_id = due.subject_id AND u.device_id = due.device_id RETURNING u.*)
       SELECT ${workColumns} FROM w LEFT JOIN devices d ON d.device_id = w.device_id`,
      [this.clock.now(), limit, owner, ownedSeconds, full],
    );
    const works = rows.map((row) => workOf(row, owner));
    const jobs = [...groupBy(works, ({ subjectId }) => subjectId).values()].map((of) => ({ works: of }));
    return { jobs, more: rows.length === limit || full.length > 0 };
  }

  protected override weight({ works }: Job): number {
    return works.length;
  }

  protected async postpone({ works }: Job): Promise<void> {
    const { subjectId, owner } = works[0]!;
    await this.database.query(
      `UPDATE deliveries SET owner = NULL, owned_until = NULL, doubtful = true, due_at = $4
       WHERE subject_id = $1 AND device_id = ANY($2) AND owner = $3 AND state = 'waiting'`,
      [subjectId, works.map(({ deviceId }) => deviceId), owner, instant(this.clock.ms() + beginAgainMs)],
    );
  }

  /** Somebody may have sent it: what is taken next is looked up in the log first. */
  protected async release(which: string): Promise<number> {
    const rows = await this.database.query(
      `UPDATE deliveries SET owner = NULL, owned_until = NULL, doubtful = true WHERE ${which} RETURNING 1`,
    );
    return rows.length;
  }

  protected about({ works }: Job): object {
    return { subject: works[0]?.subjectId };
  }

  /** Finds pushes that are settled and were not reported. */
  protected override async tidy(): Promise<void> {
    const settled = await this.database.query<{ subject_id: string }>(
      `SELECT DISTINCT s.subject_id FROM deliveries s WHERE s.state <> 'waiting' AND NOT EXISTS (
         SELECT 1 FROM deliveries w WHERE w.subject_id = s.subject_id AND w.state = 'waiting')
       LIMIT 500`,
    );
    if (settled.length > 0) await this.checks.add(...settled.map(({ subject_id }) => subject_id));
  }

  /** What a credential held goes on. */
  private async free(credential: string): Promise<void> {
    await this.database.query(
      `UPDATE deliveries SET due_at = $2, held = NULL WHERE held = $1 AND state = 'waiting' AND owner IS NULL`,
      [credential, this.clock.now()],
    );
    this.kick();
  }

  // ----------------------------------------------------------------------------------------------- sending

  protected async do(job: Job, isOurs: () => boolean): Promise<void> {
    const { works } = job;
    const { accountId } = works[0]!;
    this.inHandOf.set(accountId, this.has(accountId) + works.length);
    try {
      await this.deliver(job, isOurs);
    } finally {
      const left = this.has(accountId) - works.length;
      if (left > 0) this.inHandOf.set(accountId, left);
      else this.inHandOf.delete(accountId);
    }
  }

  private async deliver({ works, cause: known }: Job, isOurs: () => boolean): Promise<void> {
    const beginBefore = Date.now() + beginWithinMs;
    const mayBegin = (): boolean => isOurs() && Date.now() <= beginBefore;
    const { subjectId, accountId, source } = works[0]!;
    const cleared = clearedBy(subjectId);
    const cause = known ?? (cleared === undefined ? await this.sourceOf(source) : undefined);
    const group: Group = {
      subjectId,
      accountId,
      correlationId: cause?.metadata.correlationId ?? cleared ?? subjectId,
      superseded: false,
    };
    this.groups.add(group);
    const results = new Map<Work, Saved>();
    const written = new Set<Work>();
    const writeKnown = (): Promise<void> => {
      const fresh = [...results.values()].filter(({ work }) => !written.has(work));
      for (const { work } of fresh) written.add(work);
      return fresh.length > 0 ? this.saves.add(...fresh) : Promise.resolve();
    };
    const early = setTimeout(() => this.watch(writeKnown(), 'The state of a push was not written'), earlyMs);
    try {
      const attempt =
        cleared === undefined
          ? await this.pushing(works, cause, group, mayBegin)
          : await this.clearing(cleared, group, mayBegin);
      if (!attempt) return await this.discard(subjectId);
      await Promise.all(
        works.map(async (work) => {
          const sent = await this.contained(work, attempt);
          if (sent.to !== 'lost') results.set(work, { work, sent, at: this.clock.now() });
        }),
      );
    } finally {
      clearTimeout(early);
      this.groups.delete(group);
    }
    if (!isOurs() || results.size === 0) return;
    const receipts = works.length === works[0]!.targets ? receiptsOf(works, results) : undefined;
    // The usual way: all devices at once, straight into the log. The process takes the rows away when it sees that.
    if (receipts && (await this.reported({ ...group, receipts }))) return;
    await writeKnown();
    await this.checks.add(subjectId);
  }

  /** What goes wrong with one device is its own: those beside it keep their answers, and are not pushed again. */
  private async contained(work: Work, attempt: (work: Work) => Promise<Sent>): Promise<Sent> {
    try {
      return await attempt(work);
    } catch (error) {
      const { subjectId: subject, deviceId: device } = work;
      if (this.isRunning) this.logger.error({ err: error, subject, device }, 'A push to a device failed');
      const progress = { ...work.progress, failures: work.progress.failures + 1, ambiguous: true };
      const untilMs = this.clock.ms() + afterFailureMs;
      if (untilMs >= work.expiresAtMs) return settledAs('unknown', 'internal');
      return { to: 'wait', untilMs, held: null, progress, errorCode: 'internal' };
    }
  }

  /** How to do the works of a push; nothing when the log has its end already. */
  private async pushing(
    works: readonly Work[],
    cause: Recorded<AnyEvent> | undefined,
    group: Group,
    mayBegin: () => boolean,
  ): Promise<((work: Work) => Promise<Sent>) | undefined> {
    const before = works.some(({ doubtful }) => doubtful)
      ? await this.alreadyDone(group.subjectId)
      : undefined;
    if (before === 'reported') return undefined;
    const push = cause && isPushed(cause.event) ? pushOf(cause.event) : undefined;
    const message = push && new Alert(push);
    return async (work) => {
      const done = before?.get(work.deviceId);
      if (done) return done;
      if (work.unwanted) return superseded(work, work.progress);
      if (!message) return settledAs('error', 'content_gone');
      const sent = await this.attempt(work, message, work.deliveryId, group, mayBegin);
      return sent.to === 'wait' && group.superseded ? superseded(work, sent.progress) : sent;
    };
  }

  /** How to do the works of a clearing, each after the push to its phone; nothing when the log has its end already. */
  private async clearing(
    subjectId: string,
    group: Group,
    mayBegin: () => boolean,
  ): Promise<((work: Work) => Promise<Sent>) | undefined> {
    const reached = await this.reachedBy(subjectId);
    if (reached === 'cleared') return undefined;
    const message = withdrawal(subjectId, this.clock.now());
    return async (work) => {
      switch (reached.get(work.deviceId)) {
        case 'error':
          return settledAs('error', notReached);
        case 'pending': {
          const untilMs = this.clock.ms() + lookAgainMs;
          return { to: 'wait', untilMs, held: subjectId, progress: work.progress, errorCode: null };
        }
        default:
          return this.attempt(work, message, `clear ${work.deliveryId}`, group, mayBegin);
      }
    };
  }

  private async attempt(
    work: Work,
    message: Message,
    id: string,
    group: Group,
    mayBegin: () => boolean,
  ): Promise<Sent> {
    const { address, progress, expiresAtMs } = work;
    if (address === 'unknown') return this.unknownDevice(work);
    if (address === 'inactive') return settledAs('error', 'device_inactive');
    return this.sender.send({
      id,
      address,
      message,
      expiresAtMs,
      progress,
      stop: (sofar) => {
        if (group.superseded) return superseded(work, sofar);
        return mayBegin() ? undefined : { to: 'lost' };
      },
    });
  }

  /** Rows of devices may be behind when all rows are being made anew. */
  private async unknownDevice({ position, progress }: Work): Promise<Sent> {
    const [devices] = await this.database.query(
      `SELECT 1 FROM projection_checkpoints WHERE name = 'devices' AND position >= $1`,
      [position],
    );
    if (devices) return settledAs('error', 'device_gone');
    return { to: 'wait', untilMs: this.clock.ms() + 1_000, held: null, progress, errorCode: null };
  }

  private async sourceOf(stream: string): Promise<Recorded<AnyEvent> | undefined> {
    const [first] = await this.reading(() => this.log.store.read(stream, undefined, 1));
    if (!first) return undefined;
    const [recorded] = await this.log.open([first]);
    return recorded as Recorded<AnyEvent> | undefined;
  }

  /** Thousands may become due at once. */
  private async reading<Read>(read: () => Promise<Read>): Promise<Read> {
    const slot = this.reads.take('');
    if (slot) await slot;
    try {
      return await read();
    } finally {
      this.reads.give();
    }
  }

  /** What the log knows of a push that somebody may have worked on before. */
  private async alreadyDone(subjectId: string): Promise<'reported' | Map<string, Sent>> {
    const { state } = await this.reading(() => this.log.load(delivery, subjectId));
    if (state?.final) return 'reported';
    const done = new Map<string, Sent>();
    for (const { deviceId, status, errorCode } of state?.receipts ?? []) {
      if (status !== 'pending') done.set(deviceId, settledAs(status, errorCode));
      else if (state?.cleared) done.set(deviceId, settledAs('error', 'superseded'));
    }
    return done;
  }

  /** How far a push got on each phone, for who is to clear it; a phone that is not named may have it. */
  private async reachedBy(subjectId: string): Promise<'cleared' | ReadonlyMap<string, ReceiptStatus>> {
    // In this order: rows go when the log has the end.
    const rows = await this.database.query<{ device_id: string; status: ReceiptStatus }>(
      `SELECT device_id, CASE state WHEN 'waiting' THEN 'pending' ELSE state END AS status
       FROM deliveries WHERE subject_id = $1`,
      [subjectId],
    );
    const { state } = await this.reading(() => this.log.load(delivery, subjectId));
    if (state?.cleared) return 'cleared';
    if (state?.final) {
      const receipts = await receiptsOnRecord(this.log, state);
      return new Map(receipts.map(({ deviceId, status }) => [deviceId, status]));
    }
    return new Map(rows.map((row) => [row.device_id, row.status]));
  }

  private async discard(subjectId: string): Promise<void> {
    await this.database.query(`DELETE FROM deliveries WHERE subject_id = $1`, [subjectId]);
  }

  // --------------------------------------------------------------------------------------------- reporting

  private async write(saved: readonly Saved[]): Promise<void> {
    const waits = saved.map(({ sent }) => (sent.to === 'wait' ? sent : undefined));
    await this.database.query(
      `UPDATE deliveries d SET
         state = CASE WHEN NOT (d.unwanted AND n.state = 'waiting') THEN n.state
           WHEN coalesce(n.ambiguous, d.ambiguous) OR d.doubtful THEN 'unknown' ELSE 'error' END,
         error_code = CASE WHEN d.unwanted AND n.state = 'waiting' THEN 'superseded' ELSE n.error_code END,
         checked_at = n.checked_at, due_at = n.due_at, held = n.held,
         failures = coalesce(n.failures, d.failures), throttles = coalesce(n.throttles, d.throttles),
         ambiguous = coalesce(n.ambiguous, d.ambiguous), doubtful = false, owner = NULL, owned_until = NULL
       FROM unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
         $8::text[], $9::integer[], $10::integer[], $11::boolean[])
         AS n (subject_id, device_id, owner, state, error_code, checked_at, due_at, held, failures, throttles, ambiguous)
       WHERE d.subject_id = n.subject_id AND d.device_id = n.device_id AND d.owner = n.owner AND d.state = 'waiting'`,
      [
        saved.map(({ work }) => work.subjectId),
        saved.map(({ work }) => work.deviceId),
        saved.map(({ work }) => work.owner),
        saved.map(({ sent }) => (sent.to === 'settled' ? sent.status : 'waiting')),
        saved.map(({ sent }) => sent.errorCode),
        saved.map(({ at }) => at),
        saved.map(({ at }, index) => {
          const wait = waits[index];
          return wait ? instant(wait.untilMs) : at;
        }),
        waits.map((wait) => wait?.held ?? null),
        waits.map((wait) => wait?.progress.failures ?? null),
        waits.map((wait) => wait?.progress.throttles ?? null),
        waits.map((wait) => wait?.progress.ambiguous ?? null),
      ],
    );
  }

  /** Reports those of the pushes that are settled. */
  private async reportSettled(subjectIds: readonly string[]): Promise<void> {
    const rows = await this.database.query<SettledRow>(
      `SELECT subject_id, account_id, device_id, delivery_id, state, error_code, checked_at FROM deliveries s
       WHERE subject_id = ANY($1) AND NOT EXISTS (
         SELECT 1 FROM deliveries w WHERE w.subject_id = s.subject_id AND w.state = 'waiting')
       ORDER BY subject_id, device_id`,
      [[...new Set(subjectIds)]],
    );
    await Promise.all(
      [...groupBy(rows, (row) => row.subject_id)].map(([subjectId, of]) =>
        this.reported({
          subjectId,
          accountId: of[0]!.account_id,
          correlationId: subjectId,
          receipts: of.map(receiptOf),
        }),
      ),
    );
  }

  /** Puts the end of a push or a clearing on record. False when the log cannot be reached, or will never take it. */
  private async reported(receipt: Receipt): Promise<boolean> {
    const { subjectId } = receipt;
    const cleared = clearedBy(subjectId);
    try {
      if (cleared === undefined) await this.reportPush(receipt);
      else await this.reportClearing(cleared, receipt);
      return true;
    } catch (error) {
      if (isTooLarge(error)) await this.bury(receipt, error);
      else if (this.isRunning)
        this.logger.warn({ err: error, subject: subjectId }, 'A push was not reported yet');
      return false;
    }
  }

  /** What the log will never take is kept where somebody can look at it, and nobody tries again. */
  private async bury({ subjectId, accountId, receipts }: Receipt, error: unknown): Promise<void> {
    this.logger.error({ err: error, subject: subjectId }, 'The end of a push is too large for the log');
    await this.database.query(
      `WITH gone AS (DELETE FROM deliveries WHERE subject_id = $1)
       INSERT INTO dead_letters (subject_id, account_id, reason, content) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [subjectId, accountId, 'too_large', JSON.stringify(receipts)],
    );
  }

  /** Wakes who waits for it, too. */
  private async reportPush(receipt: Receipt): Promise<void> {
    const { subjectId, accountId, receipts } = receipt;
    const metadata = this.metadata(receipt);
    for (const [index, part] of furtherOf(receipts).entries())
      await this.log.transact(
        furtherReceipts,
        subjectId,
        noteReceipts({ subjectId, accountId, receipts: part, at: this.clock.now() }),
        { ...metadata, commandId: uuidV5(subjectId, `push.receipts ${index}`) },
      );
    const { state, position } = await this.log.transact(
      delivery,
      subjectId,
      report({ subjectId, accountId, receipts, final: true, at: this.clock.now() }),
      metadata,
      { expectNew: true },
    );
    const accepted = state?.accepted ?? acceptedOf(receipts);
    this.bus.signal('delivery.settled', subjectId, { accepted, final: true, position: String(position) });
  }

  private async reportClearing(subjectId: string, receipt: Receipt): Promise<void> {
    const { accountId, receipts } = receipt;
    await this.log.transact(
      delivery,
      subjectId,
      endClearing({ subjectId, accountId, ...clearingResult(receipts), at: this.clock.now() }),
      this.metadata(receipt),
    );
  }

  private metadata({ subjectId, accountId, correlationId }: Receipt): EventMetadata {
    return {
      commandId: uuidV5(subjectId, 'push.report.final'),
      correlationId,
      accountId,
      actor: { process: 'push.delivery' },
    };
  }
}

/** All receipts of a push that is settled. */
export async function receiptsOnRecord(
  log: Log,
  { subjectId, targets, receipts }: NonNullable<Delivery>,
): Promise<readonly PushReceipt[]> {
  if (targets <= receipts.length) return receipts;
  return [...receipts, ...(await log.load(furtherReceipts, subjectId)).state];
}

export const receiptOf = (row: SettledRow): PushReceipt => ({
  id: row.delivery_id,
  deviceId: row.device_id,
  status: row.state,
  errorCode: row.error_code,
  checkedAt: row.checked_at?.toISOString() ?? null,
});

/** The receipts when all of the works are settled. */
function receiptsOf(works: readonly Work[], results: ReadonlyMap<Work, Saved>): PushReceipt[] | undefined {
  const receipts: PushReceipt[] = [];
  for (const work of works) {
    const { sent, at } = results.get(work) ?? {};
    if (sent?.to !== 'settled') return undefined;
    const { status, errorCode } = sent;
    receipts.push({ id: work.deliveryId, deviceId: work.deviceId, status, errorCode, checkedAt: at! });
  }
  return receipts;
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
