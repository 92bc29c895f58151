import type { ActivityCommandEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, millis, Refused } from '@carillon/eventing';

/** What an idempotency key of one token and route stands for. */
export interface KeyedCommand {
  /** How often it was claimed; each claim is a request of its own. */
  readonly claims: number;
  /** The newest claim, null when its request was refused: then the key is free. */
  readonly claim: KeyClaim | null;
}

/** The request that came with the key, and the activity that it meant. */
export interface KeyClaim {
  readonly activityId: string;
  readonly fingerprint: string;
  readonly claimedAt: Instant;
  /** A repetition acts for the first request, of which nothing more was heard. */
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
};

/** How long a key means the same request. */
const keyLifetimeMs = 24 * 60 * 60 * 1000;

/** How long the first request is waited for; then a repetition acts for it. */
const timeoutMs = 10_000;

/** The claim that holds. */
const claimAt = ({ claim }: KeyedCommand, at: Instant): KeyClaim | null =>
  claim && millis(at) - millis(claim.claimedAt) < keyLifetimeMs ? claim : null;

interface KeyRequest {
  readonly accountId: string;
  readonly at: Instant;
}

/**
 * Claims the key for a request; the first claim stays. Refused for another request, and as it would be without a key
 * when there is no activity to claim it for.
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
 * The request was refused: the key is free for another. Not when a repetition acts for it as well, since that one may
 * have got through.
 */
export const free: Decision<KeyedCommand, ActivityCommandEvent, KeyRequest & { readonly number: number }> =
  ({ accountId, number, at }) =>
  ({ claims, claim }) =>
    claim && claims === number && !claim.takenOver
      ? [{ type: 'ActivityCommandFreed', accountId, activityId: claim.activityId, freedAt: at }]
      : [];
