import type { Instant } from '@carillon/eventing';

/** Stream `oncall_calendars-<tail of the account id>`: the secret URLs by which somebody's calendar program reads shifts. */
export type CalendarEvent = CalendarOpened | CalendarClosed;

/** The one before of the same group, or of their own shifts, has ended with it. */
export interface CalendarOpened {
  readonly type: 'CalendarOpened';
  readonly accountId: string;
  /** Null: their own shifts in all groups. */
  readonly groupId: string | null;
  readonly teamId: string | null;
  /** Of the secret in the URL. */
  readonly hash: string;
  /** When they became a member of the group's team. */
  readonly memberSince: Instant | null;
  readonly openedAt: Instant;
}

export interface CalendarClosed {
  readonly type: 'CalendarClosed';
  readonly accountId: string;
  readonly groupId: string | null;
  readonly closedAt: Instant;
}
