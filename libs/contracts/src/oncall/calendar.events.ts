import type { Instant } from '@carillon/eventing';

/** Stream `oncall_calendars-<tail of the account id>`: the secret URLs of the account for calendar programs. */
export type CalendarEvent = CalendarOpened | CalendarClosed;

/** Ends the previous calendar of the same group, or of the account's own shifts. */
export interface CalendarOpened {
  readonly type: 'CalendarOpened';
  readonly accountId: string;
  /** Null for the account's own shifts in all groups. */
  readonly groupId: string | null;
  readonly teamId: string | null;
  /** The hash of the secret in the URL. */
  readonly hash: string;
  /** When the account joined the group's team. */
  readonly memberSince: Instant | null;
  readonly openedAt: Instant;
}

export interface CalendarClosed {
  readonly type: 'CalendarClosed';
  readonly accountId: string;
  readonly groupId: string | null;
  readonly closedAt: Instant;
}
