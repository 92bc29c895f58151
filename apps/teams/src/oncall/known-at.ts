import { publishedEvents, type TeamEvent } from '@carillon/contracts';
import { fold, type Instant, isAfter } from '@carillon/eventing';
import { team, type TeamState } from '../team/team';

/** The team as it was known at a time: by all events before the first that came later. */
export function knownAt(events: readonly TeamEvent[], at: Instant): TeamState {
  const later = events.findIndex((event) => isAfter(happenedAt(event) ?? at, at));
  return fold(team, later < 0 ? events : events.slice(0, later));
}

/** Not known of what is not told to the world: that goes with what stands before it. */
function happenedAt(event: TeamEvent): Instant | undefined {
  const field = publishedEvents[event.type]?.time;
  const at: unknown = Object.entries(event).find(([name]) => name === field)?.[1];
  return typeof at === 'string' ? at : undefined;
}
