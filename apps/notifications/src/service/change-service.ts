import { recipientsOf, type ServiceEvent } from '@carillon/contracts';
import type { Decision, Instant } from '@carillon/eventing';
import { asChanger, asCreator, type ServiceRequest, asRemover } from './access';
import { type ServiceChanges, given, type ServiceState } from './service';

export interface ServiceChange extends ServiceRequest {
  readonly changes: ServiceChanges;
  /** The other accounts that have the service. */
  readonly recipients?: readonly string[];
}

export const change: Decision<ServiceState, ServiceEvent, ServiceChange> =
  ({ changes, recipients = [], ...asked }) =>
  (state) => {
    const named = given(changes);
    const found = asChanger(state, named, asked);
    const news = Object.fromEntries(
      Object.entries(named).filter(([name, value]) => found[name as keyof ServiceChanges] !== value),
    );
    if (Object.keys(news).length === 0) return [];
    return [
      {
        type: 'ServiceChanged',
        serviceId: asked.id,
        accountId: found.accountId,
        ...recipientsOf({ recipients }),
        ...news,
        changedAt: asked.at,
      },
    ];
  };

export const rotate: Decision<ServiceState, ServiceEvent, ServiceRequest & { readonly hookHash: string }> =
  ({ hookHash, ...asked }) =>
  (state) => {
    const { accountId, hookHash: former } = asCreator(state, asked);
    if (former === hookHash) return [];
    return [{ type: 'HookRotated', serviceId: asked.id, accountId, hookHash, rotatedAt: asked.at }];
  };

/** Deletes the service. A second deletion is refused, since the service no longer exists. */
export const remove: Decision<ServiceState, ServiceEvent, ServiceRequest> = (asked) => (state) => {
  const { accountId } = asRemover(state, asked);
  return [{ type: 'ServiceDeleted', serviceId: asked.id, accountId, deletedAt: asked.at }];
};

interface GroupFound {
  readonly id: string;
  readonly groupId: string;
  readonly isGone: boolean;
  readonly at: Instant;
}

/** Notes whether the on-call group could be paged. Of another group than the service's present one it says nothing. */
export const noteGroup: Decision<ServiceState, ServiceEvent, GroupFound> =
  ({ id, groupId, isGone, at }) =>
  (state) => {
    if (state?.id !== id || state.oncallGroupId !== groupId || state.oncallGroupGone === isGone) return [];
    const { accountId } = state;
    return [{ type: 'ServiceChanged', serviceId: id, accountId, oncallGroupGone: isGone, changedAt: at }];
  };

interface Forgetting {
  readonly id: string;
  readonly webhookId: string;
  readonly at: Instant;
}

/** Clears the deleted reply webhook of a service. A deleted service, or one with another webhook, stays unchanged. */
export const forgetWebhook: Decision<ServiceState, ServiceEvent, Forgetting> =
  ({ id, webhookId, at }) =>
  (state) => {
    if (state?.id !== id || state.defaultReplyWebhookId !== webhookId) return [];
    const { accountId } = state;
    return [{ type: 'ServiceChanged', serviceId: id, accountId, defaultReplyWebhookId: null, changedAt: at }];
  };
