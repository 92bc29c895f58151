import { publishedEvents, type TeamEvent } from '@carillon/contracts';
import { fold, type Instant, isAfter } from '@carillon/eventing';
import { team, type TeamState } from '../../team/team';

export interface Known {
  readonly state: TeamState;
  /** Whether these events go beyond the time: none behind them counts. */
  readonly isAll: boolean;
}

/** The team as it was known at a time: by all events before the first that came later. They may come in parts. */
export function knownAt(events: readonly TeamEvent[], at: Instant, from: TeamState = team.initial): Known {
  const later = events.findIndex((event) => isAfter(happenedAt(event) ?? at, at));
  return { state: fold(team, later < 0 ? events : events.slice(0, later), from), isAll: later >= 0 };
}

/** The time of a published event. Unpublished events have none, and count with the event before them. */
export function happenedAt(event: TeamEvent): Instant | undefined {
  const field = publishedEvents[event.type]?.time;
  const at: unknown = Object.entries(event).find(([name]) => name === field)?.[1];
  return typeof at === 'string' ? at : undefined;
}
