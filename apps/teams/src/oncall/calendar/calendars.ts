import type { CalendarEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';

/** A secret URL of somebody: to the shifts of a group, or to all of their own. */
export interface Calendar {
  /** Null: their own shifts in all groups. */
  readonly groupId: string | null;
  readonly teamId: string | null;
  /** Of the secret in its URL. */
  readonly hash: string;
  /** When they became a member of the group's team: the URL ends with that membership. */
  readonly memberSince: Instant | null;
}

/** Those of one account, of each group one at most. */
export type Calendars = readonly Calendar[];

export const calendars: Decider<Calendars, CalendarEvent> = {
  category: 'oncall_calendars',
  initial: [],
  evolve(state, event) {
    const others = state.filter(({ groupId }) => groupId !== event.groupId);
    switch (event.type) {
      case 'CalendarOpened': {
        const { groupId, teamId, hash, memberSince } = event;
        return [...others, { groupId, teamId, hash, memberSince }];
      }
      case 'CalendarClosed':
        return others;
    }
  },
};

interface CalendarOpening extends Calendar {
  readonly accountId: string;
  readonly at: Instant;
}

/** A new URL takes the place of the one before. */
export const openCalendar: Decision<Calendars, CalendarEvent, CalendarOpening> =
  ({ at, ...opened }) =>
  () => [{ type: 'CalendarOpened', ...opened, openedAt: at }];

interface Closing {
  readonly accountId: string;
  readonly groupId: string | null;
  readonly at: Instant;
}

/** The second time there is none. */
export const closeCalendar: Decision<Calendars, CalendarEvent, Closing> =
  ({ accountId, groupId, at }) =>
  (state) => {
    if (!state.some((calendar) => calendar.groupId === groupId)) throw new Refused('calendar.unknown');
    return [{ type: 'CalendarClosed', accountId, groupId, closedAt: at }];
  };
