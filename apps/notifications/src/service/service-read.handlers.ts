import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type AgentService,
  type HookOwner,
  ListServices,
  type ListPage,
  SecretHash,
  ServiceById,
  type ServiceGrouping,
  type ServicePreset,
  Services,
  type Severity,
} from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Cursors } from '@carillon/runtime';
import { sortedBy } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { ServiceAccess } from './service-access.service';
import { liveShares } from './shares.service';
import { ServiceViews } from './service-views.service';

interface ServiceRow {
  service_id: string;
  account_id: string;
  title: string | null;
  image_url: string | null;
  url: string | null;
  family_id: string | null;
  default_reply_webhook_id: string | null;
  preset: ServicePreset;
  events_per: ServiceGrouping;
  oncall_group_id: string | null;
  oncall_from: Severity;
  oncall_group_gone: boolean;
  has_sender_secret: boolean;
  expect_every_seconds: number | null;
  grace_seconds: number;
  created_at: Date;
  updated_at: Date;
}

export const serviceOrder = sortedBy(['created_at', 'desc'], ['service_id', 'desc']).of('s');

@Controller()
export class ServiceReadHandlers {
  private readonly cursors = new Cursors('service', serviceOrder);

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(ServiceAccess) private readonly access: ServiceAccess,
    @Inject(ServiceViews) private readonly services: ServiceViews,
  ) {}

  @Handles(Services.list)
  async list(input: ListServices, context: Context): Promise<Answer<ListPage<AgentService>>> {
    const { accountId } = context.caller;
    for (const rows of ['services', 'shares', 'deleted_webhooks'])
      await this.projections.reached(rows, context.after, accountId);
    const { familyId = null, shared = null } = input;
    const page = this.cursors.asked([accountId, familyId, shared], input);
    const after = page.after(5);
    const rows = await this.database.query<ServiceRow>(
      `WITH visible AS (
         SELECT service_id FROM services WHERE account_id = $1
         UNION
         SELECT service_id FROM family_members m JOIN ${liveShares} ON shares.family_id = m.team_id WHERE m.account_id = $1)
       SELECT service_id, s.account_id, title, image_url, url, shares.family_id, s.created_at, s.updated_at,
         preset, events_per, oncall_group_id, oncall_from, oncall_group_gone, has_sender_secret,
         expect_every_seconds, grace_seconds,
         CASE WHEN d.webhook_id IS NULL THEN default_reply_webhook_id END AS default_reply_webhook_id
       FROM visible JOIN services s USING (service_id) LEFT JOIN ${liveShares} USING (service_id)
         LEFT JOIN deleted_webhooks d ON d.webhook_id = default_reply_webhook_id
       WHERE ($2::text IS NULL OR shares.family_id = $2)
         AND ($3::boolean IS NULL OR (shares.family_id IS NOT NULL) = $3)
         AND ${after.text}
       ORDER BY ${serviceOrder.by} LIMIT $4`,
      [accountId, familyId, shared, page.limit + 1, ...after.values],
    );
    for (const name of ['services', 'deleted_webhooks'])
      for (const { account_id } of rows) this.projections.insist(name, account_id);
    return answer(page.of(rows, rows.map(fromRow)));
  }

  @Handles(Services.get)
  async get({ id }: ServiceById, context: Context): Promise<Answer<{ service: AgentService }>> {
    const { found } = await this.access.find(id, context);
    return answer({ service: await this.services.of(found, context.after) });
  }

  @Handles(Services.hookOwner)
  async hookOwner({ hash }: SecretHash): Promise<Answer<HookOwner>> {
    const row = await this.projections.find('services', async () => {
      const [found] = await this.database.query<{
        service_id: string;
        account_id: string;
        suspended: boolean;
      }>(
        `SELECT service_id, account_id,
           EXISTS (SELECT FROM suspended_accounts a WHERE a.account_id = services.account_id) AS suspended
         FROM services WHERE hook_hash = $1`,
        [hash],
      );
      return found;
    });
    if (!row) throw new Refused('hook.not_found');
    this.projections.insist('suspensions', row.account_id);
    if (row.suspended) throw new Refused('account.suspended');
    return answer({ serviceId: row.service_id, accountId: row.account_id });
  }
}

const fromRow = (row: ServiceRow): AgentService => ({
  id: row.service_id,
  title: row.title ?? '',
  imageUrl: row.image_url,
  url: row.url,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  familyId: row.family_id,
  defaultReplyWebhookId: row.default_reply_webhook_id,
  preset: row.preset,
  eventsPer: row.events_per,
  oncallGroupId: row.oncall_group_id,
  oncallFrom: row.oncall_from,
  oncallGroupGone: row.oncall_group_gone,
  hasSenderSecret: row.has_sender_secret,
  expectEverySeconds: row.expect_every_seconds,
  graceSeconds: row.grace_seconds,
});
