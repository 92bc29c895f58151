import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type ListPage,
  type Ok,
  ServiceById,
  type ServicePayload,
  Services,
  TooLargePayload,
} from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Inject } from '@nestjs/common';
import { HookServices } from '../service/hook-services.service';
import { asCreator } from '../service/access';
import { ServiceAccess } from '../service/service-access.service';
import { Payloads } from './payloads.service';

@Controller()
export class PayloadHandlers {
  constructor(
    @Inject(ServiceAccess) private readonly access: ServiceAccess,
    @Inject(HookServices) private readonly hooks: HookServices,
    @Inject(Payloads) private readonly payloads: Payloads,
  ) {}

  /** For the creator only: payloads may hold secrets of the sender. */
  @Handles(Services.payloads)
  async list({ id }: ServiceById, context: Context): Promise<Answer<ListPage<ServicePayload>>> {
    const { asked, found } = await this.access.find(id, context);
    const service = asCreator(found, asked);
    return answer({ items: await this.payloads.of(service), nextCursor: null });
  }

  /** Notes a request that the edge has refused for its size, and of which it has read nothing. */
  @Handles(Services.refuseTooLarge)
  async refuseTooLarge({ hash, contentType }: TooLargePayload, context: Context): Promise<Answer<Ok>> {
    const service = await this.hooks.behind(hash);
    const request = { ...(contentType !== undefined && { contentType }), payload: Buffer.alloc(0) };
    await this.payloads.refuse(service, request, new Refused('hook.too_large'), context);
    return answer({ ok: true });
  }
}
