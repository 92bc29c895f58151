import { Database, Log, type Sql, type Timer, Timers } from '@carillon/event-store';
import type { AuditRecorded } from '@carillon/contracts';
import { type Instant, plus, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { newId, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { team } from '../team/team';
import { AuditRows } from './audit-rows.service';
import { Chain } from './chain.service';

const dayMs = 24 * 60 * 60 * 1000;

interface Due {
  readonly teamId: string;
}

const midnightAfter = (at: Instant): Instant => `${plus(at, dayMs).slice(0, 10)}T00:00:00.000Z`;

/** Signs the new entries of each team's audit log once a day, and truncates entries beyond the team's retention. */
@Injectable()
export class Checkpoints extends Timers {
  readonly name = 'audit_checkpoints';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Chain) private readonly chain: Chain,
    @Inject(AuditRows) private readonly rows: AuditRows,
  ) {
    super(database, clock);
  }

  /** Schedules the signing of new entries, together with the others of their day. */
  async expect(sql: Sql, entries: readonly Pick<AuditRecorded, 'teamId' | 'createdAt'>[]): Promise<void> {
    const newest = new Map(entries.map(({ teamId, createdAt }) => [teamId, createdAt]));
    await this.setAll(
      sql,
      [...newest].map(([teamId, at]) => {
        const due: Due = { teamId };
        return { key: teamId, at: midnightAfter(at), command: due };
      }),
    );
  }

  protected async issue({ key: teamId, dueAt }: Timer): Promise<void> {
    const { state } = await this.log.load(team, streamTail(teamId));
    const days = state?.retentionDays ?? null;
    const at = this.clock.now();
    const commandId = uuidV5(teamId, `teams.checkpoint ${dueAt}`);
    await this.chain.append(
      teamId,
      async ({ entry }) => {
        if (!entry) return undefined;
        const keptFrom = days === null ? entry.keptFrom : await this.keptFrom(entry, plus(at, -days * dayMs));
        if (entry.checkpoint && keptFrom === entry.keptFrom) return undefined;
        return {
          entryId: newId('aud', this.clock.ms()),
          at,
          action: 'audit.checkpointed',
          actorUserId: null,
          actorTokenId: null,
          target: { type: 'team', id: teamId },
          keptFrom,
          actorName: null,
          ip: null,
          userAgent: null,
          metadata: { retentionDays: days },
        };
      },
      { commandId, correlationId: commandId, actor: { process: this.name } },
      { signed: true },
    );
    const { entry } = await this.chain.head(teamId);
    await this.chain.cut(teamId, entry?.keptFrom ?? 1);
    if (days !== null) await this.expect(this.database, [{ teamId, createdAt: at }]);
  }

  /**
   * The first entry to keep when all entries before a time are truncated; the one after the newest if all are too old.
   * Only valid while the rows contain the newest entry: a missing row would look like an entry that is too old.
   */
  private async keptFrom(newest: AuditRecorded, before: Instant): Promise<number> {
    const { teamId, sequence, keptFrom } = newest;
    if ((await this.rows.newest(teamId)) !== sequence) throw new Refused('projection.behind');
    return Math.max(keptFrom, (await this.rows.oldestSince(teamId, before)) ?? sequence + 1);
  }
}
