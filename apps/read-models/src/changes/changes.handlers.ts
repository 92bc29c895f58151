import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  AccountChanges,
  type ActivitiesChange,
  type Change,
  type Changes,
  ChangesSince,
  type InboxChange,
  type Newest,
  NewestOf,
  type PagesChange,
  type PromptsChange,
} from '@carillon/contracts';
import { columns, Database, Projections } from '@carillon/event-store';
import { Controller, Inject } from '@nestjs/common';
import { type SeenLog, type KeptChange, maxMissed, resumable } from './changes';

interface ChangeRow {
  position: string;
  kind: KeptChange['kind'];
  subject_id: string | null;
  project_id: string | null;
  at: Date;
}

@Controller()
export class ChangesHandlers {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  @Handles(AccountChanges.since)
  async since({ after }: ChangesSince, { caller }: Context): Promise<Answer<Changes>> {
    await this.projections.current('changes');
    const { known, rows } = await this.read(caller.accountId, after);
    const position = String(known.reached);
    if (after === undefined) return answer({ changes: [], position, reset: false });
    if (resumable(after, known) === undefined || rows.length > maxMissed)
      return answer({ changes: [], position, reset: true });
    return answer({ changes: await this.shown(caller.accountId, rows), position, reset: false });
  }

  @Handles(AccountChanges.newest)
  async newest({ accountIds }: NewestOf): Promise<Answer<{ newest: Newest[] }>> {
    const given = columns({ account_id: 'text' }, accountIds, (account_id) => ({ account_id }), { as: 'a' });
    const rows = await this.database.query<{ account_id: string; position: string }>(
      `SELECT a.account_id, c.position FROM ${given.rows} CROSS JOIN LATERAL (
         SELECT position FROM changes WHERE account_id = a.account_id ORDER BY position DESC LIMIT 1) c`,
      given.values,
    );
    return answer({ newest: rows.map((row) => ({ accountId: row.account_id, position: row.position })) });
  }

  /** One statement, so that rows, their position and the deleted range are from one snapshot. */
  private async read(
    accountId: string,
    after: string | undefined,
  ): Promise<{ known: SeenLog; rows: ChangeRow[] }> {
    const from = after !== undefined && resumable(after, everything);
    const rows = await this.database.query<{ reached: string; dropped_to: string } & Partial<ChangeRow>>(
      `SELECT p.position AS reached, coalesce(d.position, 0) AS dropped_to,
         c.position, c.kind, c.subject_id, c.project_id, c.at
       FROM projection_checkpoints p
       LEFT JOIN changes_dropped d ON true
       LEFT JOIN LATERAL (
         SELECT * FROM changes WHERE account_id = $1 AND position > $2::bigint ORDER BY position LIMIT $3) c ON true
       WHERE p.name = 'changes' ORDER BY c.position`,
      [accountId, typeof from === 'bigint' ? String(from) : null, maxMissed + 1],
    );
    const [first] = rows;
    return {
      known: { reached: BigInt(first?.reached ?? 0), droppedTo: BigInt(first?.dropped_to ?? 0) },
      rows: rows.filter((row): row is typeof row & ChangeRow => typeof row.position === 'string'),
    };
  }

  /** What is told of the inbox is in the inbox by then, with the project that its item has there. */
  private async shown(accountId: string, rows: readonly ChangeRow[]): Promise<Change[]> {
    const ofInbox = rows.filter(({ kind }) => !isElsewhere(kind));
    const last = ofInbox.at(-1);
    if (last) await this.projections.reached('inbox', last.position, accountId);
    const items = ofInbox.flatMap(({ subject_id: id }) => (id === null ? [] : [id]));
    const projects = new Map(
      items.length === 0
        ? []
        : (
            await this.database.query<{ item_id: string; project_id: string }>(
              `SELECT item_id, project_id FROM inbox_items WHERE account_id = $1 AND item_id = ANY($2)`,
              [accountId, items],
            )
          ).map((row) => [row.item_id, row.project_id]),
    );
    return rows.flatMap((row): Change[] => {
      const at = row.at.toISOString();
      const { kind, position, subject_id: id } = row;
      if (isElsewhere(kind)) return [elsewhere[kind](position, id ?? '', at)];
      if (id === null) return [{ topic: 'inbox', position, kind, itemId: null, ...projectOf(row), at }];
      const project_id = projects.get(id);
      // Push reports also come for subjects that are not in the inbox.
      if (project_id === undefined) return [];
      return [{ topic: 'inbox', position, kind, itemId: id, ...projectOf({ project_id }), at }];
    });
  }
}

type Elsewhere = Exclude<KeptChange['kind'], InboxChange['kind']>;
const promptsChange =
  (kind: PromptsChange['kind']) =>
  (position: string, promptId: string, at: string): Change => ({
    topic: 'prompts',
    position,
    kind,
    promptId,
    at,
  });

const activitiesChange =
  (kind: ActivitiesChange['kind']) =>
  (position: string, activityId: string, at: string): Change => ({
    topic: 'activities',
    position,
    kind,
    activityId,
    at,
  });

const pagesChange =
  (kind: PagesChange['kind']) =>
  (position: string, pageId: string, at: string): Change => ({ topic: 'pages', position, kind, pageId, at });

/** Changes of topics other than the inbox. */
const elsewhere: Readonly<Record<Elsewhere, (position: string, id: string, at: string) => Change>> = {
  device: (position, deviceId, at) => ({ topic: 'devices', position, deviceId, at }),
  page_notified: pagesChange('notified'),
  page_acknowledged: pagesChange('acknowledged'),
  page_withdrawn: pagesChange('withdrawn'),
  page_resolved: pagesChange('resolved'),
  prompt_created: promptsChange('created'),
  prompt_answered: promptsChange('answered'),
  prompt_canceled: promptsChange('canceled'),
  prompt_expired: promptsChange('expired'),
  activity_started: activitiesChange('started'),
  activity_updated: activitiesChange('updated'),
  activity_ended: activitiesChange('ended'),
  activity_expired: activitiesChange('expired'),
  activity_failed: activitiesChange('failed'),
};
const isElsewhere = (kind: KeptChange['kind']): kind is Elsewhere => kind in elsewhere;

const everything: SeenLog = { reached: 2n ** 63n - 1n, droppedTo: 0n };

const projectOf = ({ project_id: project }: Pick<ChangeRow, 'project_id'>): Pick<InboxChange, 'projectId'> =>
  project === null ? {} : { projectId: project || null };
