import { type EventReceived, type HookLimit, type HookMessage, recipientsOf } from '@carillon/contracts';
import type { Alert } from './alert';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';
import type { Service } from '../service/service';

/** An event received through a service's URL; null before. */
export type ReceivedState = Received | null;

export type Received = Omit<EventReceived, 'type'>;

export const event: Decider<ReceivedState, EventReceived> = {
  category: 'event',
  initial: null,
  evolve(_state, happened) {
    switch (happened.type) {
      case 'EventReceived': {
        const { type: _type, ...received } = happened;
        return received;
      }
    }
  },
  personal: {
    EventReceived: ['serviceTitle', 'serviceImageUrl', 'title', 'body', 'imageUrl', 'url', 'dedupKey'],
  },
};

export interface Receiving {
  readonly id: string;
  readonly service: Pick<Service, 'id' | 'accountId' | 'title' | 'imageUrl' | 'url'>;
  readonly message: HookMessage;
  readonly deviceIds: readonly string[];
  readonly recipients?: readonly string[];
  readonly familyId?: string;
  readonly alert?: Alert | undefined;
  readonly silentSince?: Instant | undefined;
  readonly limitedBy: HookLimit | null;
  readonly fingerprint: string | null;
  readonly at: Instant;
}

/** Receives the event. An existing stream was started under the same idempotency key. */
export const receive: Decision<ReceivedState, EventReceived, Receiving> =
  ({
    id,
    service,
    message,
    deviceIds,
    limitedBy,
    fingerprint,
    familyId,
    alert,
    silentSince,
    at,
    ...audience
  }) =>
  (state) => {
    if (state) {
      if (state.fingerprint !== fingerprint) throw new Refused('idempotency.key_reused');
      return [];
    }
    return [
      {
        type: 'EventReceived',
        eventId: id,
        accountId: service.accountId,
        ...recipientsOf(audience),
        serviceId: service.id,
        serviceTitle: service.title,
        serviceImageUrl: service.imageUrl,
        title: message.title || service.title,
        body: message.body,
        bodyFormat: message.bodyFormat ?? 'text',
        imageUrl: message.imageUrl ?? null,
        url: message.url ?? service.url,
        appId: message.appId ?? null,
        limitedBy,
        deviceIds: limitedBy ? [] : deviceIds,
        fingerprint,
        ...(familyId !== undefined && { familyId }),
        ...alert,
        ...(silentSince !== undefined && { silentSince }),
        receivedAt: at,
      },
    ];
  };
