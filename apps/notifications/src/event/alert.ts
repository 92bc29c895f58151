import { type EventReceived, severities } from '@carillon/contracts';
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
