import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  EndedAmong,
  type InboxInteraction,
  Interactions,
  ListInteractions,
  ListPendingInteractions,
  type ListPage,
  type SessionInteraction,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import type { Instant } from '@carillon/eventing';
import { Clock, Cursors, keptSince, listedDays } from '@carillon/runtime';
import { createdBetween, sortedBy } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { Responders } from '../prompt/responders.client';
import { Teammates } from '../prompt/teammates.client';
import { promptText } from './forgotten-prompts.worker';

interface PendingRow {
  interaction_id: string;
  /** The team of the device group, for a prompt asked by another account. */
  recipient_of: string | null;
  kind: InboxInteraction['kind'];
  presentation: InboxInteraction['presentation'];
  status: InboxInteraction['status'];
  title: string | null;
  prompt: string | null;
  choices: string[] | null;
  primary_label: string | null;
  secondary_label: string | null;
  image_url: string | null;
  url: string | null;
  action_digest: string;
  source_name: string | null;
  source_image_url: string | null;
  project_id: string | null;
  response: string | null;
  responding_user_id: string | null;
  responding_device_id: string | null;
  accepted: number;
  created_at: Date;
  expires_at: Date;
  responded_at: Date | null;
  canceled_at: Date | null;
}

export const promptOrder = sortedBy(['created_at', 'desc'], ['interaction_id', 'desc']);

@Controller()
export class PendingHandlers {
  private readonly cursors = new Cursors('prompt', promptOrder);
  /** Pending prompts, too: they live for 7 days at most. */
  private readonly listedDays = listedDays(30);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Teammates) private readonly teammates: Teammates,
    @Inject(Responders) private readonly responders: Responders,
  ) {}

  @Handles(Interactions.pending)
  async pending(
    input: ListPendingInteractions,
    context: Context,
  ): Promise<Answer<ListPage<InboxInteraction>>> {
    return this.page({ ...input, pending: true }, context);
  }

  @Handles(Interactions.list)
  async list(input: ListInteractions, context: Context): Promise<Answer<ListPage<SessionInteraction>>> {
    const { value } = await this.page(input, context);
    return answer({ ...value, items: await this.responders.named(value.items, context) });
  }

  @Handles(Interactions.endedAmong)
  async endedAmong({ ids }: EndedAmong): Promise<Answer<{ ids: string[] }>> {
    await this.projections.current('prompts');
    const { from, to } = createdBetween(ids);
    const rows = await this.database.query<{ interaction_id: string }>(
      `SELECT DISTINCT interaction_id FROM prompts
       WHERE interaction_id = ANY($1) AND status <> 'pending' AND created_at BETWEEN $2 AND $3`,
      [ids, from, to],
    );
    return answer({ ids: rows.map((row) => row.interaction_id) });
  }

  private async page(input: ListInteractions, context: Context): Promise<Answer<ListPage<InboxInteraction>>> {
    await this.projections.reached('prompts', context.after, context.caller.accountId);
    const { accountId } = context.caller;
    const { kind = null, projectId = null, pending = null } = input;
    const page = this.cursors.asked([accountId, kind, projectId, pending], input);
    const after = page.after(7);
    const now = this.clock.now();
    const rows = await this.database.query<PendingRow>(
      `SELECT interaction_id, kind, presentation, action_digest, project_id, responding_user_id, responding_device_id,
         accepted, created_at, expires_at, responded_at, canceled_at, ${promptText.columns},
         CASE WHEN sender_id IS NOT NULL THEN team_id END AS recipient_of,
         CASE WHEN status = 'pending' AND expires_at <= $2 THEN 'expired' ELSE status END AS status
       FROM prompts ${promptText.join}
       WHERE account_id = $1 AND created_at > $3 AND ${conditionOf(pending)}
         AND ($4::text IS NULL OR kind = $4) AND ($5::text IS NULL OR project_id = $5)
         AND ${after.text}
       ORDER BY ${promptOrder.by} LIMIT $6`,
      [accountId, now, keptSince(now, this.listedDays), kind, projectId, page.limit + 1, ...after.values],
    );
    const { items, nextCursor } = page.of(rows, rows.map(fromRow));
    const left = await this.leftAmong(rows, context);
    return answer({ items: items.filter(({ id }) => !left.has(id)), nextCursor });
  }

  /** The prompts among these whose team the caller has left. */
  private async leftAmong(rows: readonly PendingRow[], context: Context): Promise<ReadonlySet<string>> {
    const teamIds = new Set(rows.flatMap(({ recipient_of: teamId }) => teamId ?? []));
    const left = new Set<string>();
    await Promise.all(
      [...teamIds].map(async (teamId) => {
        if (!(await this.teammates.isOneOf(teamId, context))) left.add(teamId);
      }),
    );
    return new Set(
      rows
        .filter(({ recipient_of: teamId }) => teamId !== null && left.has(teamId))
        .map((row) => row.interaction_id),
    );
  }
}

/** `$2` is now. Pending prompts have their own index. */
function conditionOf(pending: boolean | null): string {
  if (pending === null) return 'true';
  return pending ? `status = 'pending' AND expires_at > $2` : `(status <> 'pending' OR expires_at <= $2)`;
}

const fromRow = (row: PendingRow): InboxInteraction & { createdAt: Instant } => ({
  id: row.interaction_id,
  title: row.title ?? '',
  prompt: row.prompt ?? '',
  kind: row.kind,
  presentation: row.presentation,
  status: row.status,
  choices: row.choices ?? [],
  response: row.response,
  imageUrl: row.image_url,
  url: row.url,
  actionDigest: row.action_digest,
  primaryLabel: row.primary_label,
  secondaryLabel: row.secondary_label,
  accepted: row.accepted,
  respondingDeviceId: row.responding_device_id,
  respondingUserId: row.responding_user_id,
  expiresAt: row.expires_at.toISOString(),
  createdAt: row.created_at.toISOString(),
  respondedAt: row.responded_at?.toISOString() ?? null,
  canceledAt: row.canceled_at?.toISOString() ?? null,
  sourceName: row.source_name ?? '',
  sourceImageUrl: row.source_image_url,
  projectId: row.project_id,
});
