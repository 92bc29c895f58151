import type { ServicePaged, ServicePageEvent, ServicePageResolved } from '@carillon/contracts';
import type { Decider, Decision } from '@carillon/eventing';

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
