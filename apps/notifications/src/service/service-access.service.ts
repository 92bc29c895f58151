import type { Context } from '@carillon/bus';
import type { ServiceEvent } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { Decide } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { asReader, type ServiceRequest } from './access';
import { Families } from './families.client';
import { type Service, service, type ServiceState } from './service';

/** A service that the caller may read, with the request for its decisions. */
export interface AccessibleService {
  readonly asked: ServiceRequest;
  readonly found: Service;
}

/** Loads a service that the caller may read. The streams of service and family decide, not the rows. */
@Injectable()
export class ServiceAccess {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Families) private readonly families: Families,
  ) {}

  /**
   * Refused `service.unknown` without a relation to the caller. Asks for the family only for another account's service.
   */
  async find(id: string, context: Context): Promise<AccessibleService> {
    const { state } = await this.log.load(service, streamTail(id));
    const { accountId } = context.caller;
    const family =
      state?.familyId && state.accountId !== accountId
        ? await this.families.of(state.familyId, accountId, context)
        : undefined;
    const asked = { id, accountId, at: this.clock.now(), ...(family && { family }) };
    return { asked, found: asReader(state, asked) };
  }

  /** Events of a service belong to its creator, whichever caller caused them. */
  async decide(
    decide: Decide<ServiceState, ServiceEvent>,
    { id, accountId }: Pick<Service, 'id' | 'accountId'>,
    context: Context,
  ): Promise<{ readonly state: ServiceState; readonly position: bigint }> {
    return this.log.transact(service, streamTail(id), decide, metadataOf(context, accountId));
  }
}
