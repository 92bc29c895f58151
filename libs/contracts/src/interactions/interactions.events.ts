import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';

export type PromptKind = 'approval' | 'yes_no' | 'reply';
export type PromptPresentation = 'notification' | 'live_activity';
/** The possible statuses of an answered prompt. */
export type AnsweredStatus = 'approved' | 'denied' | 'yes' | 'no' | 'replied';

/** Stream `interaction-<tail of the id>`; written by the interactions service. */
export type InteractionEvent = InteractionAsked | InteractionEnded;
export type InteractionEnded = InteractionAnswered | InteractionCanceled | InteractionExpired;

export interface InteractionAsked extends WithRecipients {
  readonly type: 'InteractionAsked';
  readonly interactionId: string;
  /** The team of the device group that got the prompt. Accounts that left it are no longer recipients. */
  readonly teamId?: string;
  readonly tokenId: string;
  readonly kind: PromptKind;
  readonly presentation: PromptPresentation;
  readonly title: string | null;
  readonly prompt: string | null;
  readonly choices: readonly string[] | null;
  readonly primaryLabel: string | null;
  readonly secondaryLabel: string | null;
  readonly imageUrl: string | null;
  readonly url: string | null;
  readonly actionDigest: string;
  /** The asker: the title and image of the service, else the name of the token. */
  readonly sourceName: string | null;
  readonly sourceImageUrl: string | null;
  readonly serviceId: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  /** The reply webhooks that are told the outcome, fixed at this time, each once. */
  readonly webhookIds: readonly string[];
  /** The target devices, including those of recipients, fixed at this time. */
  readonly deviceIds: readonly string[];
  /** How many devices were not rung for their quiet hours; absent when none. */
  readonly quietDevices?: number;
  /** The activity that shows the prompt, if it is presented as one. */
  readonly liveActivityId: string | null;
  /** The on-call group to page if the prompt is still pending at a time, and that time. */
  readonly escalatesTo?: EscalatesTo;
  /** SHA-256 of the request, if it had an idempotency key. */
  readonly fingerprint: string | null;
  readonly askedAt: Instant;
  readonly expiresAt: Instant;
}

export interface EscalatesTo {
  readonly groupId: string;
  readonly at: Instant;
}

/** Fields repeated in every end of a prompt, so that consumers of ends need not look up the beginning. */
interface PromptEnd extends WithRecipients {
  readonly interactionId: string;
  readonly presentation: PromptPresentation;
  readonly liveActivityId: string | null;
  readonly webhookIds: readonly string[];
}

export interface InteractionAnswered extends PromptEnd {
  readonly type: 'InteractionAnswered';
  readonly status: AnsweredStatus;
  /** `approved`, `denied`, `yes`, `no`, or the person's own text. */
  readonly response: string | null;
  readonly respondingUserId: string;
  readonly respondingDeviceId: string | null;
  readonly answeredAt: Instant;
}

export interface InteractionCanceled extends PromptEnd {
  readonly type: 'InteractionCanceled';
  readonly canceledAt: Instant;
}

export interface InteractionExpired extends PromptEnd {
  readonly type: 'InteractionExpired';
  readonly expiredAt: Instant;
}
