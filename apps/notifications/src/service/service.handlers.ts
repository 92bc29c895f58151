import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { CreateService, type Ok, ServiceById, Services, type ServiceWithUrl } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import type { Slot } from '@carillon/eventing';
import { Clock, type Logger, LOGGER, metadataOf, Quotas } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { remove } from './change-service';
import { HookUrls } from './hook-urls.service';
import { OncallGroups } from './oncall-groups.client';
import { ReplyWebhooks } from './reply-webhooks.client';
import { create, existing, maxServices, service, serviceView } from './service';
import { SenderSecrets } from './sender-secrets.service';
import { ServiceAccess } from './service-access.service';

/** Creates and deletes services, and reserves and releases their slots. */
@Controller()
export class ServiceHandlers {
  private readonly quotas: Quotas;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(ReplyWebhooks) private readonly webhooks: ReplyWebhooks,
    @Inject(SenderSecrets) private readonly secrets: SenderSecrets,
    @Inject(OncallGroups) private readonly oncall: OncallGroups,
    @Inject(HookUrls) private readonly urls: HookUrls,
    @Inject(ServiceAccess) private readonly access: ServiceAccess,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.quotas = Quotas.byRows(
      log,
      projections,
      {
        kind: 'service',
        max: maxServices,
        projection: 'services',
        decider: service,
        slots: (accountId) => this.heldSlots(accountId),
        isOver: (found) => !found,
      },
      logger,
    );
  }

  @Handles(Services.create)
  async create(input: CreateService, context: Context): Promise<Answer<ServiceWithUrl>> {
    const { senderSecret, ...given } = input;
    const { defaultReplyWebhookId, oncallGroupId } = given;
    await this.webhooks.insistOn(defaultReplyWebhookId, context);
    await this.oncall.insistOn(oncallGroupId, context);
    const { accountId } = context.caller;
    const at = this.clock.now();
    const id = newId('svc', this.clock.ms());
    const { secret, hookHash } = this.urls.mint();
    await this.quotas.reserve({ accountId, id, at }, metadataOf(context));
    const { state, position } = await this.log.transact(
      service,
      streamTail(id),
      create({
        id,
        accountId,
        ...given,
        ...this.secrets.seal(id, senderSecret),
        hookHash,
        at,
      }),
      metadataOf(context),
      { expectNew: true },
    );
    await this.projections.caughtUp('services', position);
    return answer(this.urls.show(serviceView(existing(state)), secret), position);
  }

  @Handles(Services.remove)
  async remove({ id }: ServiceById, context: Context): Promise<Answer<Ok>> {
    const { asked, found } = await this.access.find(id, context);
    const { position } = await this.access.decide(remove(asked), found, context);
    const { accountId } = found;
    await this.quotas.release({ id, accountId, at: asked.at }, metadataOf(context, accountId));
    await this.projections.caughtUp('services', position);
    return answer({ ok: true }, position);
  }

  private async heldSlots(accountId: string): Promise<readonly Slot[]> {
    const rows = await this.database.query<{ service_id: string; created_at: Date }>(
      `SELECT service_id, created_at FROM services WHERE account_id = $1`,
      [accountId],
    );
    return rows.map((row) => ({ id: row.service_id, takenAt: row.created_at.toISOString(), until: null }));
  }
}
