import type { CalendarEvent } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, Refused } from '@carillon/eventing';

/** A secret URL of an account, to the shifts of a group or to all of the account's own shifts. */
export interface Calendar {
  /** Null for the account's own shifts in all groups. */
  readonly groupId: string | null;
  readonly teamId: string | null;
  /** The hash of the secret in the URL. */
  readonly hash: string;
  /** When the account joined the group's team: the URL is valid until that membership ends. */
  readonly memberSince: Instant | null;
}

/** The calendars of one account, at most one per group. */
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
  personal: { CalendarOpened: [], CalendarClosed: [] },
};

interface CalendarOpening extends Calendar {
  readonly accountId: string;
  readonly at: Instant;
}

/** Opens a calendar. The new URL replaces the previous one (ADR 34). */
export const openCalendar: Decision<Calendars, CalendarEvent, CalendarOpening> =
  ({ at, ...opened }) =>
  () => [{ type: 'CalendarOpened', ...opened, openedAt: at }];

interface Closing {
  readonly accountId: string;
  readonly groupId: string | null;
  readonly at: Instant;
}

/** Closes a calendar. Closing it again is refused. */
export const closeCalendar: Decision<Calendars, CalendarEvent, Closing> =
  ({ accountId, groupId, at }) =>
  (state) => {
    if (!state.some((calendar) => calendar.groupId === groupId)) throw new Refused('calendar.unknown');
    return [{ type: 'CalendarClosed', accountId, groupId, closedAt: at }];
  };
