import { numberSetting } from './settings';

/** The limits of the stream of published events. */
export const eventsLimits = (): {
  readonly days: number;
  readonly mebibytes: number;
  readonly replicas: number;
} => ({
  days: numberSetting('CARILLON_EVENTS_DAYS', 30, { max: 3_650 }),
  mebibytes: numberSetting('CARILLON_EVENTS_MEBIBYTES', 1024, { min: 16, max: 1_048_576 }),
  replicas: numberSetting('CARILLON_EVENTS_REPLICAS', 1, { max: 5 }),
});
