import type { ServicePageEvent } from '@carillon/contracts';
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
export const note: Decision<ServicePageState, ServicePageEvent, ServicePageEvent> = (done) => (state) =>
  state ? [] : [done];
