import type { ServiceEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { asCreator, type ServiceRequest } from './access';
import type { ServiceState } from './service';

export interface Sharing extends ServiceRequest {
  readonly familyId: string | null;
  /** Its present share, when that is known to be over and is only to be taken back still. */
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
  /** Which share is over, as `Service.shares` counts them. */
  readonly share: number;
  readonly at: Instant;
}

/** Its creator is not in that family any more. What was shared anew meanwhile stays so. */
export const takeBack: Decision<ServiceState, ServiceEvent, Ended> =
  ({ id, share, at }) =>
  (state) => {
    if (state?.id !== id || state.shares !== share || state.familyId === null) return [];
    const { accountId } = state;
    return [{ type: 'ServiceShared', serviceId: id, accountId, familyId: null, sharedAt: at }];
  };
