import type { TeamRole } from '@carillon/contracts';
import { type Instant, Refused } from '@carillon/eventing';
import type { ServiceChanges, Service, ServiceState } from './service';

/** A family, and the role of an account in it. */
export interface Family {
  readonly familyId: string;
  readonly role: TeamRole;
  readonly memberIds: readonly string[];
}

/** The caller, the service, and the caller's role in the family that the service is shared with. */
export interface ServiceRequest {
  readonly id: string;
  readonly accountId: string;
  readonly family?: Family;
  readonly at: Instant;
}

type Relation = 'creator' | 'family owner' | 'family member';

/**
 * The caller's relation to the service. Refused `service.unknown` for another account's service, unless it is shared
 * with a family that both accounts belong to.
 */
function relationTo(
  state: ServiceState,
  { id, accountId, family }: Omit<ServiceRequest, 'at'>,
): { readonly found: Service; readonly relation: Relation } {
  if (state?.id !== id) throw new Refused('service.unknown');
  if (state.accountId === accountId) return { found: state, relation: 'creator' };
  if (family?.familyId !== state.familyId || !family?.memberIds.includes(state.accountId))
    throw new Refused('service.unknown');
  return { found: state, relation: family.role === 'owner' ? 'family owner' : 'family member' };
}

/** The service, if the caller may read it. */
export const asReader = (state: ServiceState, asked: Omit<ServiceRequest, 'at'>): Service =>
  relationTo(state, asked).found;

/** The service, if the caller may see its URL and change its sharing. */
export function asCreator(state: ServiceState, asked: ServiceRequest): Service {
  const { found, relation } = relationTo(state, asked);
  if (relation !== 'creator') throw new Refused('service.not_creator');
  return found;
}

/** The service, if the caller may delete it. */
export function asRemover(state: ServiceState, asked: ServiceRequest): Service {
  const { found, relation } = relationTo(state, asked);
  if (relation === 'family member') throw new Refused('team.forbidden_role');
  return found;
}

/** The service, if the caller may make these changes: its creator may make all, the family's owner may rename it. */
export function asChanger(state: ServiceState, changes: ServiceChanges, asked: ServiceRequest): Service {
  const { found, relation } = relationTo(state, asked);
  const more = Object.keys(changes).some((name) => name !== 'title');
  if (relation === 'family member' || (relation === 'family owner' && more))
    throw new Refused('team.forbidden_role');
  return found;
}
