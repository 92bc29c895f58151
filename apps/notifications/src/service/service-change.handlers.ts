import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type AgentService,
  ChangeService,
  ServiceById,
  Services,
  type ServiceWithUrl,
  ShareService,
} from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Controller, Inject } from '@nestjs/common';
import { asChanger, asCreator } from './access';
import { change, rotate } from './change-service';
import { Families } from './families.client';
import { HookUrls } from './hook-urls.service';
import { OncallGroups } from './oncall-groups.client';
import { ReplyWebhooks } from './reply-webhooks.client';
import { SenderSecrets } from './sender-secrets.service';
import { existing, given } from './service';
import { type AccessibleService, ServiceAccess } from './service-access.service';
import { share } from './share';
import { Shares } from './shares.service';
import { ServiceViews } from './service-views.service';

@Controller()
export class ServiceChangeHandlers {
  constructor(
    @Inject(Projections) private readonly projections: Projections,
    @Inject(ServiceAccess) private readonly access: ServiceAccess,
    @Inject(Families) private readonly families: Families,
    @Inject(Shares) private readonly shares: Shares,
    @Inject(ServiceViews) private readonly services: ServiceViews,
    @Inject(ReplyWebhooks) private readonly webhooks: ReplyWebhooks,
    @Inject(SenderSecrets) private readonly secrets: SenderSecrets,
    @Inject(OncallGroups) private readonly oncall: OncallGroups,
    @Inject(HookUrls) private readonly urls: HookUrls,
  ) {}

  @Handles(Services.change)
  async change(
    { id, senderSecret, ...named }: ChangeService,
    context: Context,
  ): Promise<Answer<{ service: AgentService }>> {
    const changes = given({ ...named, ...this.secrets.seal(id, senderSecret) });
    const visit = await this.access.find(id, context);
    const { asked, found } = visit;
    asChanger(found, changes, asked);
    await this.webhooks.insistOn(changes.defaultReplyWebhookId, context);
    await this.oncall.insistOn(changes.oncallGroupId, context);
    const recipients = changes.title === undefined ? [] : await this.recipients(visit, context);
    const { state, position } = await this.access.decide(
      change({ ...asked, changes, recipients }),
      found,
      context,
    );
    return answer({ service: await this.services.of(existing(state)) }, position);
  }

  @Handles(Services.rotate)
  async rotate({ id }: ServiceById, context: Context): Promise<Answer<ServiceWithUrl>> {
    const { asked, found } = await this.access.find(id, context);
    const { secret, hookHash } = this.urls.mint();
    const { state, position } = await this.access.decide(rotate({ ...asked, hookHash }), found, context);
    await this.projections.caughtUp('services', position);
    return answer(this.urls.show(await this.services.of(existing(state)), secret), position);
  }

  @Handles(Services.share)
  async share({ id, familyId }: ShareService, context: Context): Promise<Answer<{ service: AgentService }>> {
    const { asked, found } = await this.access.find(id, context);
    asCreator(found, asked);
    if (familyId !== null && !(await this.families.of(familyId, asked.accountId, context)))
      throw new Refused('family.not_found');
    const isOver = found.familyId !== null && (await this.shares.familyOf(found, context.after)) === null;
    const { state, position } = await this.access.decide(
      share({ ...asked, familyId, ...(isOver && { over: found.shares }) }),
      found,
      context,
    );
    return answer({ service: await this.services.of(existing(state)) }, position);
  }

  /** The accounts that have the service beside its creator. */
  private async recipients(
    { asked, found }: AccessibleService,
    context: Context,
  ): Promise<readonly string[]> {
    const { familyId, accountId } = found;
    if (familyId === null) return [];
    const family = asked.family ?? (await this.families.of(familyId, accountId, context));
    return family?.memberIds.filter((memberId) => memberId !== accountId) ?? [];
  }
}
