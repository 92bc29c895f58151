import type { Instant } from '@carillon/eventing';
import type { WithRecipients } from '../recipients';

export type PromptKind = 'approval' | 'yes_no' | 'reply';
export type PromptPresentation = 'notification' | 'live_activity';
/** How a person can have answered. */
export type AnsweredStatus = 'approved' | 'denied' | 'yes' | 'no' | 'replied';

/** Stream `interaction-<tail of the id>`; written by the interactions service. */
export type InteractionEvent = InteractionAsked | InteractionEnded;
export type InteractionEnded = InteractionAnswered | InteractionCanceled | InteractionExpired;

export interface InteractionAsked extends WithRecipients {
  readonly type: 'InteractionAsked';
  readonly interactionId: string;
  /** The team of the device group that it was sent to: who has left it is no recipient any more. */
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
  /** Who asks: the title and image of the service, else the name of the token. */
  readonly sourceName: string | null;
  readonly sourceImageUrl: string | null;
  readonly serviceId: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  /** The reply webhooks that hear how it ends, fixed here, each once. */
  readonly webhookIds: readonly string[];
  /** The devices it goes to, those of recipients too, fixed here. */
  readonly deviceIds: readonly string[];
  /** The activity that shows it, when it is presented as one. */
  readonly liveActivityId: string | null;
  /** The on-call group that it pages when it is pending still at that time. */
  readonly escalatesTo?: EscalatesTo;
  /** SHA-256 of the request, when an idempotency key came with it. */
  readonly fingerprint: string | null;
  readonly askedAt: Instant;
  readonly expiresAt: Instant;
}

export interface EscalatesTo {
  readonly groupId: string;
  readonly at: Instant;
}

/** What every end of a prompt repeats, so that who follows ends need not look up the beginning. */
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
