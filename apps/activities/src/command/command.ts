import type { ActivityCommandEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';

/** The state of an idempotency key of one token and route. */
export interface KeyedCommand {
  /** How often the key was claimed; each claim is a separate request. */
  readonly claims: number;
  /** The newest claim; null when its request was refused, which frees the key. */
  readonly claim: KeyClaim | null;
}

/** The request that claimed the key, and the activity that it was for. */
export interface KeyClaim {
  readonly activityId: string;
  readonly fingerprint: string;
  readonly claimedAt: Instant;
  /** A repetition acts for the first request, which did not complete in time. */
  readonly takenOver: boolean;
}

export const command: Decider<KeyedCommand, ActivityCommandEvent> = {
  category: 'activity_command',
  initial: { claims: 0, claim: null },
  evolve(state, event) {
    switch (event.type) {
      case 'ActivityCommandClaimed': {
        const { activityId, fingerprint, claimedAt } = event;
        return {
          claims: state.claims + 1,
          claim: { activityId, fingerprint, claimedAt, takenOver: false },
        };
      }
      case 'ActivityCommandTakenOver':
        return { ...state, claim: state.claim && { ...state.claim, takenOver: true } };
      case 'ActivityCommandFreed':
        return { ...state, claim: null };
    }
  },
  personal: { ActivityCommandClaimed: [], ActivityCommandTakenOver: [], ActivityCommandFreed: [] },
};

/** How long a key identifies the same request. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** The timeout of the first request, after which a repetition acts for it. */
const timeoutMs = 10_000;

/** The claim that is valid now. */
const claimAt = ({ claim }: KeyedCommand, at: Instant): KeyClaim | null =>
  claim && millis(at) - millis(claim.claimedAt) < keyLifetimeMs ? claim : null;

interface KeyRequest {
  readonly accountId: string;
  readonly at: Instant;
}

/**
 * Claims the key for a request; the first claim stays. Refuses a different request. Without an activity to claim the
 * key for, refuses as a request without a key would be (ADR 21).
 */
export const claim: Decision<
  KeyedCommand,
  ActivityCommandEvent,
  KeyRequest & { readonly activityId: string | Refused; readonly fingerprint: string }
> =
  ({ accountId, activityId, fingerprint, at }) =>
  (state) => {
    const held = claimAt(state, at);
    if (held && held.fingerprint !== fingerprint) throw new Refused('idempotency.key_reused');
    if (held) return [];
    if (activityId instanceof Refused) throw activityId;
    return [{ type: 'ActivityCommandClaimed', accountId, activityId, fingerprint, claimedAt: at }];
  };

/** Acts for the first request, when that cannot be under way any more. */
export const takeOver: Decision<
  KeyedCommand,
  ActivityCommandEvent,
  KeyRequest & { readonly number: number }
> =
  ({ accountId, number, at }) =>
  ({ claims, claim }) => {
    if (!claim || claims !== number || millis(at) - millis(claim.claimedAt) < timeoutMs)
      throw new Refused('idempotency.in_progress');
    return claim.takenOver
      ? []
      : [
          {
            type: 'ActivityCommandTakenOver',
            accountId,
            activityId: claim.activityId,
            takenOverAt: at,
          },
        ];
  };

/**
 * Frees the key of a refused request for another one. Not when a repetition has taken over, since the repetition may
 * have succeeded.
 */
export const free: Decision<KeyedCommand, ActivityCommandEvent, KeyRequest & { readonly number: number }> =
  ({ accountId, number, at }) =>
  ({ claims, claim }) =>
    claim && claims === number && !claim.takenOver
      ? [{ type: 'ActivityCommandFreed', accountId, activityId: claim.activityId, freedAt: at }]
      : [];
