import type { ConnectorHostnameClaimed } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import { createHash } from 'node:crypto';

/** The connector that holds the hostname, or held it last; null when none ever did. */
export type ClaimState = HostnameClaim | null;

export interface HostnameClaim {
  readonly connectorId: string;
  readonly accountId: string;
  readonly teamId: string | null;
  readonly at: Instant;
}

export const hostnameClaim: Decider<ClaimState, ConnectorHostnameClaimed> = {
  category: 'connector_hostname',
  initial: null,
  evolve: (_, { connectorId, accountId, teamId, claimedAt }) => ({
    connectorId,
    accountId,
    teamId,
    at: claimedAt,
  }),
  personal: { ConnectorHostnameClaimed: [] },
};

/** The stream tail of a hostname: a hash, as the hostname is text of an account. */
export const hostnameTail = (hostname: string): string =>
  createHash('sha256').update(hostname).digest('hex').slice(0, 32);

export interface HostnameClaimRequest extends HostnameClaim {
  /** The former holder of the hostname; null for none. */
  readonly insteadOf: string | null;
}

/** Claims the hostname, unless another claim has followed `insteadOf`. */
export const claim: Decision<ClaimState, ConnectorHostnameClaimed, HostnameClaimRequest> =
  ({ connectorId, accountId, teamId, at, insteadOf }) =>
  (state) =>
    (state?.connectorId ?? null) === insteadOf
      ? [{ type: 'ConnectorHostnameClaimed', connectorId, accountId, teamId, claimedAt: at }]
      : [];
