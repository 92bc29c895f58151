import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';

export const activityLayouts = ['standard', 'ring', 'hero', 'terminal', 'steps'] as const;
export type ActivityLayout = (typeof activityLayouts)[number];
export const activityTints = ['running', 'waiting', 'success', 'warning', 'error'] as const;
export type ActivityTint = (typeof activityTints)[number];
export const stepStates = ['pending', 'active', 'done', 'failed'] as const;
export type StepState = (typeof stepStates)[number];

/** All props of an activity, with defaults filled in and null for empty ones. */
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
  /** The digest that the answer must have. */
  readonly actionDigest: string;
}

/**
 * Stream `activity_board-<account id>`: which activities use capacity on which devices of the account, and the keys of
 * its own activities. One stream, so that one append decides capacity, keys and replacement.
 */
export type ActivityBoardEvent =
  ActivityAdmitted | ActivityReleased | ActivityCapacityLent | ActivityCapacityReturned;

/** The capacity that an activity has on devices of other accounts. */
export interface CapacityLoan {
  readonly loanId: string;
  /** The accounts whose boards lend the capacity. */
  readonly lenderIds: readonly string[];
}

/** The start is accepted. The event has all data of the start, so that a crash after it loses nothing. */
export interface ActivityAdmitted extends WithRecipients {
  readonly type: 'ActivityAdmitted';
  readonly activityId: string;
  /** Its capacity on recipients' devices. */
  readonly loan?: CapacityLoan;
  readonly tokenId: string;
  readonly sourceName: string | null;
  readonly key: string | null;
  readonly props: ActivityProps | null;
  /** The prompt that the activity shows. Such an activity starts when the prompt is in the log. */
  readonly prompt: ActivityPrompt | null;
  readonly deviceIds: readonly string[];
  /** The devices that show it silently for their quiet hours; absent when none does. */
  readonly quietDeviceIds?: readonly string[];
  /** The activity that this one replaces. */
  readonly replacedId: string | null;
  readonly fingerprint: string | null;
  readonly admittedAt: Instant;
  readonly expiresAt: Instant;
}

/** An activity of another account uses capacity on devices of this account. */
export interface ActivityCapacityLent {
  readonly type: 'ActivityCapacityLent';
  readonly loanId: string;
  /** The account whose board lends the capacity. */
  readonly accountId: string;
  /** The account of the activity. */
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

/** The activity no longer uses capacity. */
export interface ActivityReleased {
  readonly type: 'ActivityReleased';
  readonly activityId: string;
  readonly accountId: string;
  /** The loaned capacity to release with it. */
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
  /** The devices that show it silently for their quiet hours; absent when none does. */
  readonly quietDeviceIds?: readonly string[];
  readonly replacedId: string | null;
  readonly fingerprint: string | null;
  /** 1 for the first mutation. */
  readonly sequence: number;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
}

/** The priority that the service granted to an operation, and why. */
export interface GrantedPriority {
  readonly apnsPriority: 5 | 10;
  readonly priorityReason: 'routine' | 'milestone' | 'budget_exhausted' | 'start' | 'end' | 'interaction';
}

/** The idempotency key of a change, and the fingerprint of its request. */
export interface CommandKey {
  /** Names the key's stream. */
  readonly hash: string;
  readonly fingerprint: string;
  /** The number of the claim of the key. Absent in changes from before keys were claimed. */
  readonly claim?: number;
}

export interface ActivityUpdated extends GrantedPriority, WithRecipients {
  readonly type: 'ActivityUpdated';
  readonly activityId: string;
  /** The complete props, not the difference. */
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
  /**
   * The sequence of the end that devices are told, after all changes. It is no change itself, and no change follows.
   */
  readonly sequence: number;
  readonly expiredAt: Instant;
}

/** The activity failed on every device and is over. A device that registers again does not restart it. */
export interface ActivityFailed extends WithRecipients {
  readonly type: 'ActivityFailed';
  readonly activityId: string;
  /** As the sequence of an expiry. */
  readonly sequence: number;
  readonly failedAt: Instant;
}

/**
 * Stream `activity_command-<hash of account, token, route and idempotency key>`: the request and the activity that the
 * idempotency key of a change was used for, so that the key is not accepted for another request or activity.
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

/** The first request had no known outcome; a repetition of it took the claim over. */
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
 * Stream `activity_answer-<tail of the activity id>.<sequence>`: the answer to the command with this sequence, when it
 * had an idempotency key, so that a repetition gets the same answer.
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
  /** The message about texts that do not fit. */
  readonly message: string | null;
  readonly answeredAt: Instant;
}
