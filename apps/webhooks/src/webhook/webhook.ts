import type {
  ReplyEventType,
  SavedHeader,
  WebhookChanged,
  WebhookEvent,
  WebhookPreset,
} from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isBefore, plus, Refused } from '@carillon/eventing';
import { type GivenHeader, mergedHeaders, sameHeaders } from './headers';

/**
 * Null before the webhook is created, after its deletion, and when its text is unreadable without the account's key.
 */
export type WebhookState = Webhook | null;

export interface Webhook {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly url: string;
  readonly preset: WebhookPreset;
  readonly headers: readonly SavedHeader[];
  readonly events: readonly ReplyEventType[];
  readonly enabled: boolean;
  /** Whether the webhook was ever switched off, which cancelled the deliveries that were waiting. */
  readonly wasOff: boolean;
  readonly sealedSecret: string;
  /** Secrets that still sign deliveries, the newest first. */
  readonly formerSecrets: readonly FormerSecret[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface FormerSecret {
  readonly sealed: string;
  readonly until: Instant;
}

/** How long a rotated secret still signs deliveries. */
export const formerSecretMs = 24 * 60 * 60 * 1000;

/** Maximum number of former secrets, so that frequent rotation does not grow the list of signatures. */
const maxFormerSecrets = 3;

export const webhook: Decider<WebhookState, WebhookEvent> = {
  category: 'webhook',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'WebhookCreated': {
        const { type: _, webhookId, name, url, headers, sealedSecret, ...saved } = event;
        if (name === null || url === null || headers === null || sealedSecret === null) return null;
        return {
          ...saved,
          name,
          url,
          headers,
          sealedSecret,
          id: webhookId,
          wasOff: false,
          formerSecrets: [],
          updatedAt: event.createdAt,
        };
      }
      case 'WebhookChanged':
        return (
          state && {
            ...state,
            ...readable(event),
            wasOff: state.wasOff || event.enabled === false,
            updatedAt: event.changedAt,
          }
        );
      case 'WebhookSecretRotated': {
        const { sealedSecret, formerUntil, rotatedAt } = event;
        return (
          state && {
            ...state,
            sealedSecret: sealedSecret ?? state.sealedSecret,
            formerSecrets:
              formerUntil === null
                ? []
                : [{ sealed: state.sealedSecret, until: formerUntil }, ...state.formerSecrets].slice(
                    0,
                    maxFormerSecrets,
                  ),
            updatedAt: rotatedAt,
          }
        );
      }
      case 'WebhookDisabled':
        return state && { ...state, enabled: false, wasOff: true, updatedAt: event.disabledAt };
      case 'WebhookDeleted':
        return null;
    }
  },
  // The secrets are sealed with the installation's keys too; without the account's key they are lost for good.
  personal: {
    WebhookCreated: ['name', 'url', 'headers', 'sealedSecret'],
    WebhookChanged: ['name', 'url', 'headers'],
    WebhookSecretRotated: ['sealedSecret'],
    WebhookDeleted: [],
    WebhookDisabled: [],
  },
};

/** The sealed secrets that sign a delivery at this time, the newest first. */
export const secretsAt = (of: Webhook, at: Instant): readonly string[] => [
  of.sealedSecret,
  ...of.formerSecrets.filter(({ until }) => isBefore(at, until)).map(({ sealed }) => sealed),
];

export interface WebhookCreation {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly url: string;
  readonly preset: WebhookPreset;
  readonly headers: readonly GivenHeader[];
  readonly events: readonly ReplyEventType[];
  readonly enabled: boolean;
  readonly sealedSecret: string;
  readonly at: Instant;
}

export const create: Decision<WebhookState, WebhookEvent, WebhookCreation> =
  ({ id, headers, at, ...saved }) =>
  (state) =>
    state
      ? []
      : [
          {
            type: 'WebhookCreated',
            webhookId: id,
            ...saved,
            headers: mergedHeaders(headers, []),
            createdAt: at,
          },
        ];

/** A caller and the webhook that the request names. Another account's webhook counts as unknown. */
export interface WebhookRequest {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

/** The webhook, if it is the caller's; refused `webhook.unknown`. */
export function visible(state: WebhookState, asked: Omit<WebhookRequest, 'at'>): Webhook {
  if (!isOwned(state, asked)) throw new Refused('webhook.unknown');
  return state;
}

export const isOwned = (
  state: WebhookState,
  { id, accountId }: Omit<WebhookRequest, 'at'>,
): state is Webhook => state?.id === id && state.accountId === accountId;

type Plain = Partial<Pick<Webhook, 'name' | 'url' | 'preset' | 'events' | 'enabled'>>;

export interface WebhookChange extends WebhookRequest {
  readonly changes: Plain & { readonly headers?: readonly GivenHeader[] };
}

export const change: Decision<WebhookState, WebhookEvent, WebhookChange> =
  ({ changes: { headers, ...changes }, ...asked }) =>
  (state) => {
    const found = visible(state, asked);
    // Header values for one receiver must not go to another: a new URL needs all header values again, or has no
    // headers.
    const moves = changes.url !== undefined && !isSameOrigin(changes.url, found.url);
    const merged = moves
      ? mergedHeaders(headers ?? [], [])
      : headers && mergedHeaders(headers, found.headers);
    const news = {
      ...Object.fromEntries(
        Object.entries(given(changes)).filter(([name, value]) => !alike(found[name as keyof Plain], value)),
      ),
      ...(merged && !sameHeaders(merged, found.headers) && { headers: merged }),
    };
    if (Object.keys(news).length === 0) return [];
    return [
      {
        type: 'WebhookChanged',
        webhookId: asked.id,
        accountId: asked.accountId,
        ...news,
        changedAt: asked.at,
      },
    ];
  };

export interface WebhookSecretRotation extends WebhookRequest {
  readonly sealedSecret: string;
  /** Whether a sealed secret equals the given one. */
  readonly isSame: (sealed: string) => boolean;
  readonly revokeOld: boolean;
}

export const rotate: Decision<WebhookState, WebhookEvent, WebhookSecretRotation> =
  ({ sealedSecret, isSame, revokeOld, ...asked }) =>
  (state) => {
    const found = visible(state, asked);
    const valid = secretsAt(found, asked.at);
    if (isSame(found.sealedSecret) && (!revokeOld || valid.length === 1)) return [];
    return [
      {
        type: 'WebhookSecretRotated',
        webhookId: asked.id,
        accountId: asked.accountId,
        sealedSecret,
        formerUntil: revokeOld ? null : plus(asked.at, formerSecretMs),
        rotatedAt: asked.at,
      },
    ];
  };

/** The service switches the webhook off by itself. A deleted or disabled one stays unchanged. */
export const disable: Decision<
  WebhookState,
  WebhookEvent,
  { readonly id: string; readonly reason: 'gone' | 'failing'; readonly at: Instant }
> =
  ({ id, reason, at }) =>
  (state) =>
    state?.id === id && state.enabled
      ? [{ type: 'WebhookDisabled', webhookId: id, accountId: state.accountId, reason, disabledAt: at }]
      : [];

/** Deletes the webhook. A second deletion is refused, since the webhook no longer exists. */
export const remove: Decision<WebhookState, WebhookEvent, WebhookRequest> = (asked) => (state) => {
  visible(state, asked);
  return [{ type: 'WebhookDeleted', webhookId: asked.id, accountId: asked.accountId, deletedAt: asked.at }];
};

type Changeable = Plain & Partial<Pick<Webhook, 'headers'>>;

const given = ({ name, url, preset, headers, events, enabled }: Changeable): Changeable =>
  Object.fromEntries(
    Object.entries({ name, url, preset, headers, events, enabled }).filter(
      ([, value]) => value !== undefined,
    ),
  );

const isSameOrigin = (one: string, other: string): boolean => new URL(one).origin === new URL(other).origin;

/** The fields of a change, without texts whose key was deleted. */
const readable = ({ name, url, headers, ...plain }: WebhookChanged): Changeable =>
  given({
    ...plain,
    ...(name && { name }),
    ...(url && { url }),
    ...(headers && { headers }),
  });

/** The order of the event types does not matter. */
const alike = (one: unknown, other: unknown): boolean =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((entry) => other.includes(entry))
    : one === other;
