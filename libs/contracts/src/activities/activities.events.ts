import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';

export const activityLayouts = ['standard', 'ring', 'hero', 'terminal', 'steps'] as const;
export type ActivityLayout = (typeof activityLayouts)[number];
export const activityTints = ['running', 'waiting', 'success', 'warning', 'error'] as const;
export type ActivityTint = (typeof activityTints)[number];
export const stepStates = ['pending', 'active', 'done', 'failed'] as const;
export type StepState = (typeof stepStates)[number];

/** What a phone shows: every prop, defaults filled, null where there is nothing. */
export interface ActivityProps {
  readonly title: string;
  readonly subtitle: string | null;
  readonly status: string | null;
  readonly detail: string | null;
  readonly progress: number | null;
  readonly layout: ActivityLayout;
  readonly state: ActivityTint;
  readonly icon: string | null;
  readonly accentColor: string | null;
  readonly steps: readonly { readonly label: string; readonly state: StepState }[] | null;
  readonly lines: readonly string[] | null;
  readonly startedAt: Instant | null;
  readonly endsAt: Instant | null;
  readonly imageUrl: string | null;
  readonly url: string | null;
}

/** The prompt that an activity shows, with the words of its buttons. */
export interface ActivityPrompt {
  readonly id: string;
  readonly kind: 'approval' | 'yes_no' | 'reply';
  readonly primaryLabel: string | null;
  readonly secondaryLabel: string | null;
  /** What the answer must carry. */
  readonly actionDigest: string;
}

/**
 * Stream `activity_board-<account id>`: which activities use capacity on which devices of the account, and under which
 * keys its own run. One stream, so that capacity, keys and replacement are decided in one step.
 */
export type ActivityBoardEvent =
  ActivityAdmitted | ActivityReleased | ActivityCapacityLent | ActivityCapacityReturned;

/** The capacity that an activity has on devices of other accounts. */
export interface CapacityLoan {
  readonly loanId: string;
  /** The accounts whose boards have lent it. */
  readonly lenderIds: readonly string[];
}

/** The start is accepted. It carries all of it, so that the rest follows even when its giver dies here. */
export interface ActivityAdmitted extends WithRecipients {
  readonly type: 'ActivityAdmitted';
  readonly activityId: string;
  /** Its capacity on devices of recipients. */
  readonly loan?: CapacityLoan;
  readonly tokenId: string;
  readonly sourceName: string | null;
  readonly key: string | null;
  readonly props: ActivityProps | null;
  /** The prompt that it shows. Such an activity starts when the prompt is in the log. */
  readonly prompt: ActivityPrompt | null;
  readonly deviceIds: readonly string[];
  /** The activity that it takes the place of. */
  readonly replacedId: string | null;
  readonly fingerprint: string | null;
  readonly admittedAt: Instant;
  readonly expiresAt: Instant;
}

/** An activity of another account has capacity on devices of this one. */
export interface ActivityCapacityLent {
  readonly type: 'ActivityCapacityLent';
  readonly loanId: string;
  /** Whose board lends it. */
  readonly accountId: string;
  /** Whose activity it is. */
  readonly borrowerId: string;
  readonly activityId: string;
  readonly deviceIds: readonly string[];
  readonly lentAt: Instant;
  readonly expiresAt: Instant;
}

export interface ActivityCapacityReturned {
  readonly type: 'ActivityCapacityReturned';
  readonly loanId: string;
  readonly accountId: string;
  readonly returnedAt: Instant;
}

/** It takes no capacity any more. */
export interface ActivityReleased {
  readonly type: 'ActivityReleased';
  readonly activityId: string;
  readonly accountId: string;
  /** What is to be released with it. */
  readonly loan?: CapacityLoan;
  readonly releasedAt: Instant;
}

/** Stream `activity-<tail of the id>`; written by the activities service. */
export type ActivityEvent =
  ActivityStarted | ActivityUpdated | ActivityEnded | ActivityExpired | ActivityFailed;

export interface ActivityStarted extends WithRecipients {
  readonly type: 'ActivityStarted';
  readonly activityId: string;
  readonly loan?: CapacityLoan;
  readonly tokenId: string;
  readonly sourceName: string | null;
  readonly key: string | null;
  readonly props: ActivityProps | null;
  readonly prompt: ActivityPrompt | null;
  readonly deviceIds: readonly string[];
  readonly replacedId: string | null;
  readonly fingerprint: string | null;
  /** 1: the first mutation. */
  readonly sequence: number;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
}

/** The priority that the service granted to an operation, and why. */
export interface GrantedPriority {
  readonly apnsPriority: 5 | 10;
  readonly priorityReason: 'routine' | 'milestone' | 'budget_exhausted' | 'start' | 'end' | 'interaction';
}

/** The idempotency key that a change came with, and what was asked. */
export interface CommandKey {
  /** Names the key's stream. */
  readonly hash: string;
  readonly fingerprint: string;
  /** Which claim of the key it was. Changes from before keys were claimed have none. */
  readonly claim?: number;
}

export interface ActivityUpdated extends GrantedPriority, WithRecipients {
  readonly type: 'ActivityUpdated';
  readonly activityId: string;
  /** All of it, not the difference. */
  readonly props: ActivityProps | null;
  readonly key: CommandKey | null;
  readonly sequence: number;
  readonly updatedAt: Instant;
}

export interface ActivityEnded extends WithRecipients {
  readonly type: 'ActivityEnded';
  readonly activityId: string;
  readonly props: ActivityProps | null;
  readonly reason: 'ended' | 'replaced' | 'answered' | 'canceled';
  readonly dismissAfterSeconds: number;
  readonly key: CommandKey | null;
  readonly sequence: number;
  readonly endedAt: Instant;
}

export interface ActivityExpired extends WithRecipients {
  readonly type: 'ActivityExpired';
  readonly activityId: string;
  /** The place of what its devices are told, after all changes. It is no change itself, and none follows. */
  readonly sequence: number;
  readonly expiredAt: Instant;
}

/** It has failed on every device, and is over: what registers anew does not bring it back. */
export interface ActivityFailed extends WithRecipients {
  readonly type: 'ActivityFailed';
  readonly activityId: string;
  /** As that of an expiry. */
  readonly sequence: number;
  readonly failedAt: Instant;
}

/**
 * Stream `activity_command-<hash of account, token, route and idempotency key>`: which request the key of a change came
 * with, and which activity that meant, so that another request or another activity is none of it.
 */
export type ActivityCommandEvent = ActivityCommandClaimed | ActivityCommandTakenOver | ActivityCommandFreed;

/** The change follows, in the activity's own stream. */
export interface ActivityCommandClaimed {
  readonly type: 'ActivityCommandClaimed';
  readonly accountId: string;
  readonly activityId: string;
  readonly fingerprint: string;
  readonly claimedAt: Instant;
}

/** Nothing was heard of the first request; its repetition acts for it. */
export interface ActivityCommandTakenOver {
  readonly type: 'ActivityCommandTakenOver';
  readonly accountId: string;
  readonly activityId: string;
  readonly takenOverAt: Instant;
}

/** The request was refused. */
export interface ActivityCommandFreed {
  readonly type: 'ActivityCommandFreed';
  readonly accountId: string;
  readonly activityId: string;
  readonly freedAt: Instant;
}

/**
 * Stream `activity_answer-<tail of the activity id>.<sequence>`: what the command with this sequence was answered, when
 * it came with an idempotency key, so that the same command again is answered the same.
 */
export interface MutationAnswered {
  readonly type: 'MutationAnswered';
  readonly activityId: string;
  readonly accountId: string;
  readonly sequence: number;
  readonly accepted: number;
  readonly failed: number;
  readonly queued: number;
  readonly superseded: number;
  readonly replaced: number;
  /** What was said of texts that do not fit. */
  readonly message: string | null;
  readonly answeredAt: Instant;
}
