import type { AgentService, ServiceEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';

/** Null before it was made, and again when it was deleted. */
export type ServiceState = Service | null;

export interface Service extends AgentService {
  readonly accountId: string;
  readonly hookHash: string;
}

export const service: Decider<ServiceState, ServiceEvent> = {
  category: 'service',
  initial: null,
  evolve(state, event) {
    switch (event.type) {
      case 'ServiceCreated':
        return {
          id: event.serviceId,
          accountId: event.accountId,
          title: event.title ?? '',
          imageUrl: event.imageUrl,
          url: event.url,
          familyId: null,
          defaultReplyWebhookId: event.defaultReplyWebhookId,
          hookHash: event.hookHash,
          createdAt: event.createdAt,
          updatedAt: event.createdAt,
        };
      case 'ServiceChanged': {
        const { title, imageUrl, url, defaultReplyWebhookId, changedAt } = event;
        return (
          state && {
            ...state,
            ...given({ title: title ?? undefined, imageUrl, url, defaultReplyWebhookId }),
            updatedAt: changedAt,
          }
        );
      }
      case 'ServiceShared':
        return state && { ...state, familyId: event.familyId, updatedAt: event.sharedAt };
      case 'HookRotated':
        return state && { ...state, hookHash: event.hookHash, updatedAt: event.rotatedAt };
      case 'ServiceDeleted':
        return null;
    }
  },
  personal: {
    ServiceCreated: ['title', 'imageUrl', 'url'],
    ServiceChanged: ['title', 'imageUrl', 'url'],
  },
};

export const hookPrefix = 'carillon_hook_';

/** Services that an account may have. */
export const maxServices = 200;

export interface Creation {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  readonly imageUrl?: string | null;
  readonly url?: string | null;
  readonly defaultReplyWebhookId?: string | null;
  readonly hookHash: string;
  readonly at: Instant;
}

export const create: Decision<ServiceState, ServiceEvent, Creation> =
  ({ id, accountId, title, imageUrl = null, url = null, defaultReplyWebhookId = null, hookHash, at }) =>
  (state) => {
    if (state) return [];
    return [
      {
        type: 'ServiceCreated',
        serviceId: id,
        accountId,
        title,
        imageUrl,
        url,
        defaultReplyWebhookId,
        hookHash,
        createdAt: at,
      },
    ];
  };

/** Whose request it is, and which service it names. Another account's service is none. */
export interface Asked {
  readonly id: string;
  readonly accountId: string;
  readonly at: Instant;
}

export function owned(state: ServiceState, { id, accountId }: Omit<Asked, 'at'>): Service {
  if (state?.id !== id || state.accountId !== accountId) throw new Refused('service.unknown');
  return state;
}

type Changes = Partial<Pick<Service, 'title' | 'imageUrl' | 'url' | 'defaultReplyWebhookId'>>;

export const change: Decision<ServiceState, ServiceEvent, Asked & { readonly changes: Changes }> =
  ({ changes, ...asked }) =>
  (state) => {
    const found = owned(state, asked);
    const news = Object.fromEntries(
      Object.entries(given(changes)).filter(([name, value]) => found[name as keyof Changes] !== value),
    );
    if (Object.keys(news).length === 0) return [];
    return [
      {
        type: 'ServiceChanged',
        serviceId: asked.id,
        accountId: asked.accountId,
        ...news,
        changedAt: asked.at,
      },
    ];
  };

export const share: Decision<ServiceState, ServiceEvent, Asked & { readonly familyId: string | null }> =
  ({ familyId, ...asked }) =>
  (state) => {
    if (owned(state, asked).familyId === familyId) return [];
    return [
      {
        type: 'ServiceShared',
        serviceId: asked.id,
        accountId: asked.accountId,
        familyId,
        sharedAt: asked.at,
      },
    ];
  };

export const rotate: Decision<ServiceState, ServiceEvent, Asked & { readonly hookHash: string }> =
  ({ hookHash, ...asked }) =>
  (state) => {
    if (owned(state, asked).hookHash === hookHash) return [];
    return [
      {
        type: 'HookRotated',
        serviceId: asked.id,
        accountId: asked.accountId,
        hookHash,
        rotatedAt: asked.at,
      },
    ];
  };

/** Its reply webhook was deleted. A service that is gone, or has another by now, stays as it is. */
export const forgetWebhook: Decision<ServiceState, ServiceEvent, Asked & { readonly webhookId: string }> =
  ({ id, accountId, webhookId, at }) =>
  (state) =>
    state?.id === id && state.defaultReplyWebhookId === webhookId
      ? [{ type: 'ServiceChanged', serviceId: id, accountId, defaultReplyWebhookId: null, changedAt: at }]
      : [];

/** There is nothing to delete the second time: who asks again is told so. */
export const remove: Decision<ServiceState, ServiceEvent, Asked> = (asked) => (state) => {
  owned(state, asked);
  return [{ type: 'ServiceDeleted', serviceId: asked.id, accountId: asked.accountId, deletedAt: asked.at }];
};

/** The service as the API shows it. */
export const shown = ({
  id,
  title,
  imageUrl,
  url,
  createdAt,
  updatedAt,
  familyId,
  defaultReplyWebhookId,
}: AgentService): AgentService => ({
  id,
  title,
  imageUrl,
  url,
  createdAt,
  updatedAt,
  familyId,
  defaultReplyWebhookId,
});

const given = (changes: Changes): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
