import type { AgentService, ServiceEvent } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';

/** Null before the service is created and after it is deleted. */
export type ServiceState = Service | null;

export interface Service extends Omit<AgentService, 'hasSenderSecret'> {
  readonly accountId: string;
  readonly sealedSenderSecret: string | null;
  readonly hookHash: string;
  /** How often the service was shared or its share ended; the number identifies a share. */
  readonly shares: number;
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
          preset: event.preset ?? 'plain',
          eventsPer: event.eventsPer ?? 'group',
          oncallGroupId: event.oncallGroupId ?? null,
          oncallFrom: event.oncallFrom ?? 'info',
          oncallGroupGone: false,
          sealedSenderSecret: event.sealedSenderSecret ?? null,
          expectEverySeconds: event.expectEverySeconds ?? null,
          graceSeconds: event.graceSeconds ?? 0,
          hookHash: event.hookHash,
          shares: 0,
          createdAt: event.createdAt,
          updatedAt: event.createdAt,
        };
      case 'ServiceChanged': {
        const { type: _, serviceId: _id, accountId: _owner, recipients: _all, changedAt, ...changes } = event;
        return (
          state && {
            ...state,
            ...(changes.oncallGroupId !== undefined && { oncallGroupGone: false }),
            ...given({ ...changes, title: changes.title ?? undefined }),
            updatedAt: changedAt,
          }
        );
      }
      case 'ServiceShared':
        return (
          state && {
            ...state,
            familyId: event.familyId,
            shares: state.shares + 1,
            updatedAt: event.sharedAt,
          }
        );
      case 'HookRotated':
        return state && { ...state, hookHash: event.hookHash, updatedAt: event.rotatedAt };
      case 'ServiceDeleted':
        return null;
    }
  },
  personal: {
    ServiceCreated: ['title', 'imageUrl', 'url', 'sealedSenderSecret'],
    ServiceChanged: ['title', 'imageUrl', 'url', 'sealedSenderSecret'],
    HookRotated: [],
    ServiceDeleted: [],
    ServiceShared: [],
  },
};

export const hookPrefix = 'carillon_hook_';

/** Maximum number of services of an account. */
export const maxServices = 200;

/** The fields that can be changed. */
type Changeable =
  | 'title'
  | 'imageUrl'
  | 'url'
  | 'defaultReplyWebhookId'
  | 'preset'
  | 'eventsPer'
  | 'oncallGroupId'
  | 'oncallFrom'
  | 'sealedSenderSecret'
  | 'expectEverySeconds'
  | 'graceSeconds';
export type ServiceChanges = Partial<Pick<Service, Changeable>>;

export interface ServiceCreation extends ServiceChanges {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  readonly hookHash: string;
  readonly at: Instant;
}

export const create: Decision<ServiceState, ServiceEvent, ServiceCreation> =
  ({ id, imageUrl = null, url = null, defaultReplyWebhookId = null, at, ...asked }) =>
  (state) => {
    if (state) return [];
    return [
      {
        type: 'ServiceCreated',
        serviceId: id,
        ...asked,
        imageUrl,
        url,
        defaultReplyWebhookId,
        createdAt: at,
      },
    ];
  };

/** The service after a creation or change. */
export function existing(state: ServiceState): Service {
  if (!state) throw new Error('A service was changed without a trace');
  return state;
}

/** The changes that were given; null clears a field. */
export const given = <Changes extends Partial<Service>>(changes: {
  [Name in keyof Changes]: Changes[Name] | undefined;
}): Changes =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Changes;

/** The service as the API shows it. */
export const serviceView = ({
  accountId: _,
  hookHash: _hash,
  shares: _shares,
  sealedSenderSecret,
  ...shown
}: Service): AgentService => ({ ...shown, hasSenderSecret: sealedSenderSecret !== null });
