import { numberSetting } from './settings';

/** Prompts live up to 7 days, so that what is older than this has always ended. */
const least = 8;

/** How many days ended notifications, prompts, activities, pages and their rows are kept; 0 for ever. */
export function keepDays(): number {
  const days = numberSetting('CARILLON_KEEP_DAYS', 90, { min: 0, max: 3_650 });
  if (days > 0 && days < least)
    throw new Error(`The setting CARILLON_KEEP_DAYS must be 0, or at least ${least}, not "${days}"`);
  return days;
}
