import type { AccountWebhooksEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, lostOf, Refused } from '@carillon/eventing';

/** The webhooks that hold a slot of the account, and which of them is its default. */
export interface AccountWebhooks {
  readonly admitted: readonly { readonly webhookId: string; readonly at: Instant }[];
  readonly defaultId: string | null;
}

/** Maximum number of webhooks of an account. */
export const maxWebhooks = 20;

export const accountWebhooks: Decider<AccountWebhooks, AccountWebhooksEvent> = {
  category: 'default_webhook',
  initial: { admitted: [], defaultId: null },
  evolve(state, event) {
    switch (event.type) {
      case 'WebhookAdmitted':
        return {
          ...state,
          admitted: [...state.admitted, { webhookId: event.webhookId, at: event.admittedAt }],
        };
      case 'WebhookReleased':
        return {
          ...state,
          admitted: state.admitted.filter(({ webhookId }) => webhookId !== event.webhookId),
        };
      case 'DefaultWebhookChosen':
        return { ...state, defaultId: event.webhookId };
    }
  },
  personal: { WebhookAdmitted: [], WebhookReleased: [], DefaultWebhookChosen: [] },
};

interface SlotRequest {
  readonly accountId: string;
  readonly webhookId: string;
  readonly at: Instant;
}

/**
 * Reserves a slot for a webhook. `missing` are the webhooks that hold a slot and do not exist: the process that created
 * or deleted them crashed before it had finished.
 */
export const admit: Decision<
  AccountWebhooks,
  AccountWebhooksEvent,
  SlotRequest & { readonly missing: readonly string[] }
> =
  ({ accountId, webhookId, missing, at }) =>
  ({ admitted, defaultId }) => {
    if (isAdmitted(admitted, webhookId)) return [];
    const slots = admitted.map((each) => ({ id: each.webhookId, takenAt: each.at }));
    const gone = lostOf(slots, missing, at);
    if (admitted.length - gone.length >= maxWebhooks)
      throw new Refused('resource.limit_reached', { limit: maxWebhooks });
    return [
      ...gone.map((id) => ({ type: 'WebhookReleased', accountId, webhookId: id, releasedAt: at }) as const),
      ...(defaultId !== null && gone.includes(defaultId)
        ? [{ type: 'DefaultWebhookChosen', accountId, webhookId: null, chosenAt: at } as const]
        : []),
      { type: 'WebhookAdmitted', accountId, webhookId, admittedAt: at },
    ];
  };

/** Makes the webhook the account's default instead of any other. */
export const choose: Decision<AccountWebhooks, AccountWebhooksEvent, SlotRequest> =
  ({ accountId, webhookId, at }) =>
  ({ admitted, defaultId }) => {
    if (!isAdmitted(admitted, webhookId)) throw new Refused('webhook.unknown');
    return defaultId === webhookId
      ? []
      : [{ type: 'DefaultWebhookChosen', accountId, webhookId, chosenAt: at }];
  };

/** The webhook is no longer the default; another default stays. */
export const unchoose: Decision<AccountWebhooks, AccountWebhooksEvent, SlotRequest> =
  ({ accountId, webhookId, at }) =>
  ({ defaultId }) =>
    defaultId === webhookId
      ? [{ type: 'DefaultWebhookChosen', accountId, webhookId: null, chosenAt: at }]
      : [];

/** Releases the slot of a deleted webhook; if it was the default, the account has none. */
export const release: Decision<AccountWebhooks, AccountWebhooksEvent, SlotRequest> = (asked) => (state) => {
  const { accountId, webhookId, at } = asked;
  if (!isAdmitted(state.admitted, webhookId)) return [];
  return [{ type: 'WebhookReleased', accountId, webhookId, releasedAt: at }, ...unchoose(asked)(state)];
};

/** The webhooks that get the reply of a prompt: the default first, then the one that was chosen for it, each once. */
export const targetsOf = (
  { defaultId }: Pick<AccountWebhooks, 'defaultId'>,
  chosen: string | null,
): readonly string[] => [...new Set([defaultId, chosen].filter((id) => id !== null))];

const isAdmitted = (admitted: AccountWebhooks['admitted'], id: string): boolean =>
  admitted.some(({ webhookId }) => webhookId === id);
