import type { TeamRole } from '@carillon/contracts';
import { type Instant, Refused } from '@carillon/eventing';
import type { ServiceChanges, Service, ServiceState } from './service';

/** A family, and what an account is in it. */
export interface Family {
  readonly familyId: string;
  readonly role: TeamRole;
  readonly memberIds: readonly string[];
}

/** Who asks, for which service, and what they are in the family that it is shared with. */
export interface ServiceRequest {
  readonly id: string;
  readonly accountId: string;
  readonly family?: Family;
  readonly at: Instant;
}

type Relation = 'creator' | 'family owner' | 'family member';

/**
 * What the service is to who asks. Refused `service.unknown` when it is nothing: another account's, unless it is shared
 * with a family that both are in.
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

/** Who may read it. */
export const asReader = (state: ServiceState, asked: Omit<ServiceRequest, 'at'>): Service =>
  relationTo(state, asked).found;

/** Who may see its URL, and say who sees it. */
export function asCreator(state: ServiceState, asked: ServiceRequest): Service {
  const { found, relation } = relationTo(state, asked);
  if (relation !== 'creator') throw new Refused('service.not_creator');
  return found;
}

/** Who may delete it. */
export function asRemover(state: ServiceState, asked: ServiceRequest): Service {
  const { found, relation } = relationTo(state, asked);
  if (relation === 'family member') throw new Refused('team.forbidden_role');
  return found;
}

/** Who may make these changes: all of them its creator, its name the owner of the family too. */
export function asChanger(state: ServiceState, changes: ServiceChanges, asked: ServiceRequest): Service {
  const { found, relation } = relationTo(state, asked);
  const more = Object.keys(changes).some((name) => name !== 'title');
  if (relation === 'family member' || (relation === 'family owner' && more))
    throw new Refused('team.forbidden_role');
  return found;
}
