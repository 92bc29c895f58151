import { answer, type Answer, Bus, type Context, Handles } from '@carillon/bus';
import {
  type AgentService,
  ChangeService,
  CreateService,
  type HookOwner,
  ListServices,
  type Page,
  pageLimit,
  SecretHash,
  ServiceById,
  type ServiceEvent,
  Services,
  type ServiceWithUrl,
  ShareService,
  Webhooks,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decide, type Place, Refused } from '@carillon/eventing';
import {
  Clock,
  cursorKey,
  type Logger,
  LOGGER,
  metadataOf,
  pageOf,
  readPageKey,
  Rooms,
  secret,
  setting,
  writeCursor,
} from '@carillon/runtime';
import { hashSecret, mintSecret, newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import {
  type Asked,
  change,
  create,
  hookPrefix,
  maxServices,
  owned,
  remove,
  rotate,
  type Service,
  service,
  type ServiceState,
  share,
  shown,
} from './service';

interface ServiceRow {
  service_id: string;
  title: string | null;
  image_url: string | null;
  url: string | null;
  family_id: string | null;
  default_reply_webhook_id: string | null;
  created_at: Date;
  updated_at: Date;
}

@Controller()
export class ServiceHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cursorKey = cursorKey('service');
  private readonly hooks = `${setting('CARILLON_BASE_URL').replace(/\/+$/, '')}/hooks`;
  private readonly rooms: Rooms;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.rooms = new Rooms(
      log,
      {
        kind: 'service',
        most: maxServices,
        before: (accountId) => this.existing(accountId),
        missing: (ids, accountId) => this.missing(ids, accountId),
      },
      logger,
    );
  }

  @Handles(Services.create)
  async create(input: CreateService, context: Context): Promise<Answer<ServiceWithUrl>> {
    await this.findWebhook(input, context);
    const { title, imageUrl, url, defaultReplyWebhookId } = input;
    const { accountId } = context.caller;
    const at = this.clock.now();
    const id = newId('svc', this.clock.ms());
    const { secret, hookHash } = this.mintHook();
    await this.rooms.take({ accountId, id, at }, metadataOf(context));
    const { state, position } = await this.log.transact(
      service,
      streamTail(id),
      create({
        id,
        accountId,
        title,
        ...(imageUrl !== undefined && { imageUrl }),
        ...(url !== undefined && { url }),
        ...(defaultReplyWebhookId !== undefined && { defaultReplyWebhookId }),
        hookHash,
        at,
      }),
      metadataOf(context),
      { expectNew: true },
    );
    await this.projections.caughtUp('services', position);
    return answer(this.withUrl(shown(existingOf(state)), secret), position);
  }

  @Handles(Services.list)
  async list(input: ListServices, context: Context): Promise<Answer<Page<AgentService>>> {
    await this.projections.reached('services', context.after);
    await this.projections.reached('deleted_webhooks', context.after);
    const { accountId } = context.caller;
    const { familyId = null, shared = null } = input;
    const limit = pageLimit(input);
    const filter = [accountId, familyId, shared];
    const after = input.cursor === undefined ? undefined : readPageKey(this.cursorKey, filter, input.cursor);
    const rows = await this.database.query<ServiceRow>(
      `SELECT service_id, title, image_url, url, family_id, created_at, updated_at,
         CASE WHEN d.webhook_id IS NULL THEN default_reply_webhook_id END AS default_reply_webhook_id
       FROM services LEFT JOIN deleted_webhooks d ON d.webhook_id = default_reply_webhook_id
       WHERE account_id = $1
         AND ($2::text IS NULL OR family_id = $2)
         AND ($3::boolean IS NULL OR (family_id IS NOT NULL) = $3)
         AND ($4::timestamptz IS NULL OR (created_at, service_id) < ($4, $5))
       ORDER BY created_at DESC, service_id DESC LIMIT $6`,
      [accountId, familyId, shared, after?.at ?? null, after?.id ?? null, limit + 1],
    );
    const items = rows.slice(0, limit).map(fromRow);
    return answer(
      pageOf(items, rows.length > limit, (last) =>
        writeCursor(this.cursorKey, filter, { at: last.createdAt, id: last.id }),
      ),
    );
  }

  @Handles(Services.get)
  async get({ id }: ServiceById, context: Context): Promise<Answer<{ service: AgentService }>> {
    const { state } = await this.log.load(service, streamTail(id));
    const found = owned(state, { id, accountId: context.caller.accountId });
    if (found.defaultReplyWebhookId !== null)
      await this.projections.reached('deleted_webhooks', context.after);
    return answer({ service: await this.shown(found) });
  }

  @Handles(Services.change)
  async change(
    { id, ...changes }: ChangeService,
    context: Context,
  ): Promise<Answer<{ service: AgentService }>> {
    const asked = this.asked(id, context);
    owned((await this.log.load(service, streamTail(id))).state, asked);
    await this.findWebhook(changes, context);
    const changed = await this.decide(change({ ...asked, changes }), id, context);
    return answer({ service: await this.shown(changed.service) }, changed.position);
  }

  @Handles(Services.remove)
  async remove({ id }: ServiceById, context: Context): Promise<Answer<{ ok: true }>> {
    const asked = this.asked(id, context);
    const { position } = await this.transact(remove(asked), id, context);
    await this.rooms.release(asked, metadataOf(context));
    await this.projections.caughtUp('services', position);
    return answer({ ok: true }, position);
  }

  @Handles(Services.share)
  async share({ id, familyId }: ShareService, context: Context): Promise<Answer<{ service: AgentService }>> {
    const asked = this.asked(id, context);
    const { service, position } = await this.decide(
      (state) => {
        owned(state, asked);
        // Nobody has a family yet.
        if (familyId !== null) throw new Refused('family.not_found');
        return share({ ...asked, familyId })(state);
      },
      id,
      context,
    );
    return answer({ service: await this.shown(service) }, position);
  }

  @Handles(Services.rotate)
  async rotate({ id }: ServiceById, context: Context): Promise<Answer<ServiceWithUrl>> {
    const { secret, hookHash } = this.mintHook();
    const { service, position } = await this.decide(
      rotate({ ...this.asked(id, context), hookHash }),
      id,
      context,
    );
    await this.projections.caughtUp('services', position);
    return answer(this.withUrl(await this.shown(service), secret), position);
  }

  @Handles(Services.hookOwner)
  async hookOwner({ hash }: SecretHash): Promise<Answer<HookOwner>> {
    const row = await this.projections.find('services', async () => {
      const [found] = await this.database.query<{ service_id: string; account_id: string }>(
        `SELECT service_id, account_id FROM services WHERE hook_hash = $1`,
        [hash],
      );
      return found;
    });
    if (!row) throw new Refused('hook.not_found');
    return answer({ serviceId: row.service_id, accountId: row.account_id });
  }

  private asked(id: string, context: Context): Asked {
    return { id, accountId: context.caller.accountId, at: this.clock.now() };
  }

  private async decide(
    decide: Decide<ServiceState, ServiceEvent>,
    id: string,
    context: Context,
  ): Promise<{ service: Service; position: bigint }> {
    const { state, position } = await this.transact(decide, id, context);
    return { service: existingOf(state), position };
  }

  private transact(decide: Decide<ServiceState, ServiceEvent>, id: string, context: Context) {
    return this.log.transact(service, streamTail(id), decide, metadataOf(context));
  }

  private mintHook(): { secret: string; hookHash: string } {
    const { secret } = mintSecret(hookPrefix);
    return { secret, hookHash: hashSecret(this.pepper, secret) };
  }

  private withUrl(service: AgentService, hookSecret: string): ServiceWithUrl {
    const webhookUrl = `${this.hooks}/${hookSecret}`;
    return { service: { ...service, webhookUrl }, webhookUrl };
  }

  /** Refused `webhook.not_found` unless the reply webhook that is named is one of the caller's. */
  private async findWebhook(
    { defaultReplyWebhookId: webhookId }: { defaultReplyWebhookId?: string | null },
    context: Context,
  ): Promise<void> {
    if (webhookId) await this.bus.ask(Webhooks.targets, { webhookId }, context);
  }

  /** As the API shows it: a reply webhook that was deleted is none, also before it was taken off the service. */
  private async shown(of: Service): Promise<AgentService> {
    const service = shown(of);
    if (service.defaultReplyWebhookId === null) return service;
    await this.projections.current('deleted_webhooks');
    const [deleted] = await this.database.query(`SELECT FROM deleted_webhooks WHERE webhook_id = $1`, [
      service.defaultReplyWebhookId,
    ]);
    return deleted ? { ...service, defaultReplyWebhookId: null } : service;
  }

  /** The services of an account from before they were counted in the log. */
  private async existing(accountId: string): Promise<readonly Place[]> {
    await this.projections.abreast('services');
    const rows = await this.database.query<{ service_id: string; created_at: Date }>(
      `SELECT service_id, created_at FROM services WHERE account_id = $1`,
      [accountId],
    );
    return rows.map((row) => ({ id: row.service_id, takenAt: row.created_at.toISOString(), until: null }));
  }

  /** Those of these services that were deleted or never made. The rows say whom to look for, the log decides. */
  private async missing(ids: readonly string[], accountId: string): Promise<readonly string[]> {
    const rows = await this.database.query<{ service_id: string }>(
      `SELECT service_id FROM services WHERE account_id = $1`,
      [accountId],
    );
    const there = new Set(rows.map(({ service_id }) => service_id));
    const suspects = ids.filter((id) => !there.has(id));
    const states = await Promise.all(suspects.map((id) => this.log.load(service, streamTail(id))));
    return suspects.filter((_, place) => !states[place]?.state);
  }
}

function existingOf(state: ServiceState): Service {
  if (!state) throw new Error('A service was changed without a trace');
  return state;
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
});
