import type { AccountWebhooksEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, lostOf, Refused } from '@carillon/eventing';

/** Which webhooks take a slot of the account, and which of them is its default. */
export interface AccountWebhooks {
  readonly admitted: readonly { readonly webhookId: string; readonly at: Instant }[];
  readonly defaultId: string | null;
}

/** Webhooks that an account may have. */
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
};

interface SlotRequest {
  readonly accountId: string;
  readonly webhookId: string;
  readonly at: Instant;
}

/**
 * Reserves a slot for one more. `missing` are those that were looked for and are not there: their makers died, or who
 * deleted them did before their slot was released.
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

/** Makes it the account's default instead of any other. */
export const choose: Decision<AccountWebhooks, AccountWebhooksEvent, SlotRequest> =
  ({ accountId, webhookId, at }) =>
  ({ admitted, defaultId }) => {
    if (!isAdmitted(admitted, webhookId)) throw new Refused('webhook.unknown');
    return defaultId === webhookId
      ? []
      : [{ type: 'DefaultWebhookChosen', accountId, webhookId, chosenAt: at }];
  };

/** It is not the default any more; any other stays so. */
export const unchoose: Decision<AccountWebhooks, AccountWebhooksEvent, SlotRequest> =
  ({ accountId, webhookId, at }) =>
  ({ defaultId }) =>
    defaultId === webhookId
      ? [{ type: 'DefaultWebhookChosen', accountId, webhookId: null, chosenAt: at }]
      : [];

/** Releases the slot of one that was deleted, and its place as the default with it. */
export const release: Decision<AccountWebhooks, AccountWebhooksEvent, SlotRequest> = (asked) => (state) => {
  const { accountId, webhookId, at } = asked;
  if (!isAdmitted(state.admitted, webhookId)) return [];
  return [{ type: 'WebhookReleased', accountId, webhookId, releasedAt: at }, ...unchoose(asked)(state)];
};

/** The webhooks that hear of a prompt: the default first, then the one that was chosen for it, each once. */
export const targetsOf = (
  { defaultId }: Pick<AccountWebhooks, 'defaultId'>,
  chosen: string | null,
): readonly string[] => [...new Set([defaultId, chosen].filter((id) => id !== null))];

const isAdmitted = (admitted: AccountWebhooks['admitted'], id: string): boolean =>
  admitted.some(({ webhookId }) => webhookId === id);
