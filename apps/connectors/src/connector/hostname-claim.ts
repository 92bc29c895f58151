import type { ConnectorHostnameClaimed } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import { createHash } from 'node:crypto';

/** Which connector has the hostname, or had it last; null when none ever did. */
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
};

/** What names the stream of a hostname, which is some account's own text. */
export const hostnameTail = (hostname: string): string =>
  createHash('sha256').update(hostname).digest('hex').slice(0, 32);

export interface HostnameClaimRequest extends HostnameClaim {
  /** The connector that had it and has it no more; null for none. */
  readonly insteadOf: string | null;
}

/** Takes the hostname, unless somebody else has done so meanwhile. */
export const claim: Decision<ClaimState, ConnectorHostnameClaimed, HostnameClaimRequest> =
  ({ connectorId, accountId, teamId, at, insteadOf }) =>
  (state) =>
    (state?.connectorId ?? null) === insteadOf
      ? [{ type: 'ConnectorHostnameClaimed', connectorId, accountId, teamId, claimedAt: at }]
      : [];
