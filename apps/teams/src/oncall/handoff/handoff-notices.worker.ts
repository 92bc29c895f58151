import { Bus } from '@carillon/bus';
import { Notifications } from '@carillon/contracts';
import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, isAfter, millis, plus } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { fingerprint, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { dutyAt, lookBackMs } from '../../rotation/duty';
import type { OncallGroup } from '../../team/oncall';
import { memberOf, team } from '../../team/team';
import { handoffNotice, type HandoffOfPerson, handoffs } from './notice';

interface OfGroup {
  readonly teamId: string;
  readonly groupId: string;
}

type Command = OfGroup & ({ readonly what: 'look' } | (HandoffOfPerson & { readonly what: 'tell' }));

interface DutyRow {
  looked_at: Date;
  is_known: boolean;
  account_id: string | null;
}

const withinMs = 20_000;
/** The next look at a group in which nobody is to take over. */
const laterMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Looks at each group that notifies of hand-offs when somebody else is to be on call, and after each change of its
 * schedule. Whoever is on call then is compared with the row of the last look; the new row and the notices are written
 * in one transaction, so that each hand-off is notified of once.
 */
@Injectable()
export class HandoffNotices extends CommandQueue<Command> {
  readonly name = 'handoff_notices';
  protected readonly process = 'teams.handoff_notices';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async look(sql: Sql, groups: readonly OfGroup[], from: Cause): Promise<void> {
    const commands = groups.map((of) => ({
      key: `look ${of.groupId}`,
      command: { what: 'look' as const, ...of },
      from,
    }));
    await this.enqueue(sql, ...commands);
  }

  protected async execute(command: Command, as: CommandContext): Promise<Instant | void> {
    const { state } = await this.log.load(team, streamTail(command.teamId));
    const group = state?.oncall.find(({ groupId }) => groupId === command.groupId);
    if (!state || !group?.handoffNotices) return;
    if (command.what === 'look') return this.compare(group, command, as);
    // One who has left the team does not see its groups any more.
    if (memberOf(state, command.accountId)) await this.tell(group, command, as);
  }

  private async compare(
    group: OncallGroup,
    { teamId, groupId }: OfGroup,
    as: CommandContext,
  ): Promise<Instant | void> {
    const now = this.clock.now();
    const duty = dutyAt(group, now);
    return this.database.transaction(async (sql) => {
      const [row] = await sql.query<DutyRow>(
        `SELECT looked_at, is_known, account_id FROM oncall_duties WHERE group_id = $1 FOR UPDATE`,
        [groupId],
      );
      if (!row) return;
      const lookedAt = row.looked_at.toISOString();
      // The clock was moved back: nobody is notified of the same time again.
      if (isAfter(lookedAt, now)) return lookedAt;
      await sql.query(
        `UPDATE oncall_duties SET looked_at = $2, is_known = true, account_id = $3 WHERE group_id = $1`,
        [groupId, now, duty.accountId],
      );
      const then = dutyAt(group, lookedAt);
      const isChanged = row.is_known && row.account_id !== then.accountId;
      const before = isChanged ? { accountId: row.account_id, until: null } : then;
      const metadata = as.metadata(teamId);
      const from = { id: metadata.causationId ?? metadata.commandId, metadata };
      const told = handoffs(before, duty).filter(({ at }) => this.isNews(at));
      const commands = told.map((each) => ({
        key: `tell ${keyOf(groupId, each)}`,
        command: { what: 'tell' as const, teamId, groupId, ...each },
        from,
      }));
      await this.enqueue(sql, ...commands);
      return duty.until ?? plus(now, laterMs);
    });
  }

  private async tell(group: OncallGroup, handoff: HandoffOfPerson, as: CommandContext): Promise<void> {
    if (!this.isNews(handoff.at)) return;
    const context = as.context({ accountId: handoff.accountId, withinMs });
    // The keys of services are shared by all accounts.
    const key = `handoff ${keyOf(group.groupId, handoff)}`;
    await this.bus.ask(Notifications.send, handoffNotice(group, handoff), {
      ...context,
      caller: { ...context.caller, tokenName: 'Carillon' },
      idempotency: { key, fingerprint: fingerprint(key) },
    });
  }

  private isNews(at: Instant): boolean {
    return this.clock.ms() - millis(at) < lookBackMs;
  }
}

const keyOf = (groupId: string, { accountId, change, at }: HandoffOfPerson): string =>
  `${groupId} ${change} ${accountId} ${at}`;
