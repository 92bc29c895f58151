import type {
  ActivityEnded,
  ActivityReleased,
  ActivityCapacityLent,
  ActivityCapacityReturned,
  CapacityLoan,
} from '@carillon/contracts';
import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import { type EventMetadata, type Instant, isBefore, plus } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { activity, end, expire, fail } from '../activity/activity';
import type { Admission } from '../board/board';
import { Loans } from './loans.service';
import { Starter } from './starter.service';

/** The time that the request's own process has to complete a step; after it, a timer does. */
const healMs = 2_000;
/** How long an activity waits for its prompt. */
const promptMs = 60_000;

/** Lent capacity that is unused after this is released. Longer than a borrower's timeout for using it. */
const unusedMs = 120_000;

type AdmissionStep = 'begin' | 'give_up' | 'close' | 'expire' | 'fail' | 'release' | 'return';

interface AdmissionCommand {
  readonly activityId: string;
  readonly accountId: string;
  /** Why the activity is closed; `expired` when its prompt has expired. */
  readonly reason?: ActivityEnded['reason'] | 'expired';
  /** The loan to release. */
  readonly loan?: CapacityLoan;
}

type Of = Pick<AdmissionCommand, 'activityId' | 'accountId'>;
type Lent = Pick<ActivityCapacityLent, 'loanId' | 'borrowerId' | 'activityId' | 'accountId' | 'lentAt'>;
type Returned = Pick<ActivityCapacityReturned, 'loanId' | 'accountId'>;

/** Executes the steps that follow the events of an activity, even when the process that began it has crashed. */
@Injectable()
export class AdmissionCommands extends Timers {
  readonly name = 'commands';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Starter) private readonly starter: Starter,
    @Inject(Loans) private readonly loans: Loans,
  ) {
    super(database, clock);
  }

  /**
   * After an admission, the activity begins, or waits for its prompt if it has one. The activity that it replaces is
   * closed.
   */
  async admitted(sql: Sql, { prompt, replacedId, admittedAt, ...of }: Admission): Promise<void> {
    await (prompt
      ? this.command(sql, 'give_up', of, plus(admittedAt, promptMs))
      : this.command(sql, 'begin', of, plus(admittedAt, healMs)));
    if (replacedId)
      await this.command(
        sql,
        'close',
        { activityId: replacedId, accountId: of.accountId, reason: 'replaced' },
        plus(admittedAt, healMs),
      );
  }

  /** Begins the activity: the prompt that it shows is in the log. */
  async asked(sql: Sql, of: Of, at: Instant): Promise<void> {
    await this.command(sql, 'begin', of, at);
  }

  async begun(sql: Sql, of: Of, expiresAt: Instant): Promise<void> {
    await this.drop(sql, of, 'begin', 'give_up');
    await this.command(sql, 'expire', of, expiresAt);
  }

  /** Closes the activity: the prompt that it shows has ended. */
  async close(sql: Sql, of: Of, reason: NonNullable<AdmissionCommand['reason']>, at: Instant): Promise<void> {
    await this.command(sql, 'close', { ...of, reason }, at);
  }

  async over(sql: Sql, of: Of, at: Instant): Promise<void> {
    await this.drop(sql, of, 'expire', 'close');
    await this.command(sql, 'release', of, plus(at, healMs));
  }

  /** The activity failed on every device: it is recorded as failed, and its capacity is released. */
  async failed(sql: Sql, of: Of, at: Instant): Promise<void> {
    await this.drop(sql, of, 'expire', 'close');
    await this.command(sql, 'fail', of, at);
  }

  async released(sql: Sql, { loan, releasedAt, ...of }: Omit<ActivityReleased, 'type'>): Promise<void> {
    await this.drop(sql, of, 'release', 'give_up');
    for (const lenderId of loan?.lenderIds ?? [])
      await this.command(sql, 'return', { ...of, loan: { ...loan!, lenderIds: [lenderId] } }, releasedAt);
  }

  /**
   * Schedules the return of capacity lent to an activity of another account, in case the borrowing process has crashed.
   */
  async lent(sql: Sql, { loanId, borrowerId, activityId, accountId, lentAt }: Lent): Promise<void> {
    const loan = { loanId, lenderIds: [accountId] };
    await this.command(sql, 'return', { activityId, accountId: borrowerId, loan }, plus(lentAt, unusedMs));
  }

  async returned(sql: Sql, { loanId, accountId }: Returned): Promise<void> {
    await this.clear(sql, keyOf('return', { loan: { loanId, lenderIds: [accountId] } }));
  }

  private command(
    sql: Sql,
    step: AdmissionStep,
    { activityId, accountId, reason, loan }: AdmissionCommand,
    at: Instant,
  ): Promise<void> {
    const command: AdmissionCommand = {
      activityId,
      accountId,
      ...(reason && { reason }),
      ...(loan && { loan }),
    };
    return this.set(sql, keyOf(step, command), at, command);
  }

  private async drop(sql: Sql, { activityId }: Of, ...steps: readonly AdmissionStep[]): Promise<void> {
    for (const step of steps) await this.clear(sql, keyOf(step, { activityId }));
  }

  protected async issue({ key, command }: Timer): Promise<void> {
    const step = key.slice(0, key.indexOf(':')) as AdmissionStep;
    const asked = command as AdmissionCommand;
    const metadata: EventMetadata = {
      commandId: uuidV5(asked.activityId, `activities.${step}`),
      correlationId: asked.activityId,
      accountId: asked.accountId,
      actor: { process: 'activities.commands' },
    };
    await this.does[step](asked, metadata);
  }

  private readonly does: Record<
    AdmissionStep,
    (command: AdmissionCommand, metadata: EventMetadata) => Promise<void>
  > = {
    begin: (command, metadata) => this.begin(command, metadata),
    give_up: async (command, metadata) => {
      const admission = await this.starter.admission(command.accountId, command.activityId);
      if (!admission) return;
      if (await this.isAsked(admission)) await this.begin(command, metadata);
      else await this.starter.release(command, this.clock.now(), metadata);
    },
    close: async (command, metadata) => {
      // The start may still be in progress: an end before it would be lost.
      await this.begin(command, metadata);
      if (!(await this.starter.find(command.activityId))) return;
      await this.finish(command, metadata);
      await this.starter.release(command, this.clock.now(), metadata);
    },
    expire: async (command, metadata) => {
      await this.expire(command, metadata);
      await this.starter.release(command, this.clock.now(), metadata);
    },
    fail: async (command, metadata) => {
      const failed = fail({ at: this.clock.now() });
      await this.log.transact(activity, streamTail(command.activityId), failed, metadata);
      await this.starter.release(command, this.clock.now(), metadata);
    },
    release: async (command, metadata) => {
      await this.starter.release(command, this.clock.now(), metadata);
    },
    return: async ({ accountId, activityId, loan }, metadata) => {
      if (!loan) return;
      const admission = await this.starter.admission(accountId, activityId);
      if (admission?.loan?.loanId !== loan.loanId) await this.loans.release(loan, metadata);
    },
  };

  private async begin({ activityId, accountId }: AdmissionCommand, metadata: EventMetadata): Promise<void> {
    const admission = await this.starter.admission(accountId, activityId);
    if (!admission) return;
    const expired = !isBefore(this.clock.now(), admission.expiresAt);
    if (!expired && admission.props !== null) await this.starter.begin(admission, metadata);
  }

  private async isAsked({ prompt }: Admission): Promise<boolean> {
    return (
      prompt !== null && (await this.log.store.readLast(`interaction-${streamTail(prompt.id)}`)) !== undefined
    );
  }

  private async finish(
    { activityId, accountId, reason }: AdmissionCommand,
    metadata: EventMetadata,
  ): Promise<void> {
    if (!reason) return;
    if (reason === 'expired') return this.expire({ activityId, accountId }, metadata);
    await this.log.transact(
      activity,
      streamTail(activityId),
      end({
        id: activityId,
        accountId,
        tokenId: null,
        changes: {},
        dismissAfterSeconds: 0,
        reason,
        key: null,
        at: this.clock.now(),
      }),
      metadata,
    );
  }

  private async expire({ activityId }: AdmissionCommand, metadata: EventMetadata): Promise<void> {
    await this.log.transact(activity, streamTail(activityId), expire({ at: this.clock.now() }), metadata);
  }
}

/** The timer key of a step. A loan has a separate key for each lender. */
const keyOf = (
  step: AdmissionStep,
  { activityId, loan }: { readonly activityId?: string; readonly loan?: CapacityLoan },
): string => (loan ? `${step}:${loan.loanId}:${loan.lenderIds[0]}` : `${step}:${activityId}`);
