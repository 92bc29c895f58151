import type { TeamRole } from '@carillon/contracts';
import { type Instant, Refused } from '@carillon/eventing';
import { type ConnectorFacts, type ConnectorState, isThere } from './connector';

/** The caller and the connector of a request. */
export interface ConnectorRequest {
  readonly id: string;
  readonly accountId: string;
  /** The account's role in the team of the connector; null for a non-member, and without a team. */
  readonly role: TeamRole | null;
  readonly at: Instant;
}

/**
 * The connector of the path, for the account that owns it or an admin of its team. Refused `connector.unknown` to
 * outsiders, `team.forbidden_role` to a plain member of its team.
 */
export function managed(
  state: ConnectorState,
  { id, accountId, role }: Omit<ConnectorRequest, 'at'>,
): ConnectorFacts {
  if (!isThere(state) || state.id !== id) throw new Refused('connector.unknown');
  if (state.teamId === null) {
    if (state.accountId !== accountId) throw new Refused('connector.unknown');
    return state;
  }
  if (role === null) throw new Refused('connector.unknown');
  if (role === 'member') throw new Refused('team.forbidden_role');
  return state;
}
