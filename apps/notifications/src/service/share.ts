import type { ServiceEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { asCreator, type ServiceRequest } from './access';
import type { ServiceState } from './service';

export interface Sharing extends ServiceRequest {
  readonly familyId: string | null;
  /** Number of the present share, when it has ended but the command that ends it in the log is still pending. */
  readonly over?: number;
}

export const share: Decision<ServiceState, ServiceEvent, Sharing> =
  ({ familyId, over, ...asked }) =>
  (state) => {
    const { accountId, familyId: former, shares } = asCreator(state, asked);
    if (former === familyId && (familyId === null || shares !== over)) return [];
    return [{ type: 'ServiceShared', serviceId: asked.id, accountId, familyId, sharedAt: asked.at }];
  };

interface Ended {
  readonly id: string;
  /** Number of the share that has ended, as `Service.shares` counts. */
  readonly share: number;
  readonly at: Instant;
}

/** Ends a share after the creator has left the family. A newer share of the same service stays. */
export const takeBack: Decision<ServiceState, ServiceEvent, Ended> =
  ({ id, share, at }) =>
  (state) => {
    if (state?.id !== id || state.shares !== share || state.familyId === null) return [];
    const { accountId } = state;
    return [{ type: 'ServiceShared', serviceId: id, accountId, familyId: null, sharedAt: at }];
  };
