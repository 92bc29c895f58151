import {
  type EventReceived,
  type ServicePaged,
  type ServicePageEvent,
  type ServicePageResolved,
  severities,
} from '@carillon/contracts';
import type { Decider, Decision } from '@carillon/eventing';
import type { Reading } from '../preset/read';
import type { Service } from '../service/service';

/** What an event says of something that is wrong or over, and the group to page because of it. */
export type Alert = Pick<EventReceived, 'state' | 'dedupKey' | 'severity' | 'oncallGroupId'>;

/** Undefined for an event that says neither. */
export function alertOf(
  { oncallGroupId, oncallFrom }: Pick<Service, 'oncallGroupId' | 'oncallFrom'>,
  { state, dedupKey, severity }: Pick<Reading, 'state' | 'dedupKey' | 'severity'>,
): Alert | undefined {
  if (state === 'none' || dedupKey === null) return undefined;
  // A severity that is not known must not keep a page from anybody.
  const isBad = severity === null || severities.indexOf(severity) >= severities.indexOf(oncallFrom);
  const pages = state === 'firing' && oncallGroupId !== null && isBad;
  return { state, dedupKey, severity, ...(pages && { oncallGroupId }) };
}

/** What was done about pages because of an event; null before. */
export type ServicePageState = ServicePageEvent | null;

export const servicePage: Decider<ServicePageState, ServicePageEvent> = {
  category: 'service_page',
  initial: null,
  evolve: (_, event) => event,
  personal: { ServicePaged: [], ServicePageResolved: [] },
};

/** Notes what was done. The second time it does nothing. */
export const notePage: Decision<ServicePageState, ServicePageEvent, Omit<ServicePaged, 'type'>> =
  (paged) => (state) => (state ? [] : [{ type: 'ServicePaged', ...paged }]);

export const noteResolved: Decision<ServicePageState, ServicePageEvent, Omit<ServicePageResolved, 'type'>> =
  (resolved) => (state) => (state ? [] : [{ type: 'ServicePageResolved', ...resolved }]);
