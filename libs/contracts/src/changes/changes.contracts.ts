import type { Instant } from '@carillon/eventing';
import { Id, ListOf, Opaque, Optional } from '@carillon/schema';
import { answers } from '../contract';

/** Something in an inbox is not what it was. Ids and times only: who may read the text fetches it. */
export interface InboxChange {
  readonly topic: 'inbox';
  /** Where in the log the change is; grows, and is unique in an account. */
  readonly position: string;
  readonly kind: 'created' | 'updated' | 'read' | 'unread' | 'all_read';
  /** Null for `all_read`, which is about many. */
  readonly itemId: string | null;
  /** The project of the items, null for those without one; absent where all of them are meant. */
  readonly projectId?: string | null;
  readonly at: Instant;
}

/** A device came, went, or can be reached elsewhere. */
export interface DevicesChange {
  readonly topic: 'devices';
  readonly position: string;
  readonly deviceId: string;
  readonly at: Instant;
}

/** A prompt was asked or has ended; how, and what it says, is asked for by its id. */
export interface PromptsChange {
  readonly topic: 'prompts';
  readonly position: string;
  readonly kind: 'created' | 'answered' | 'canceled' | 'expired';
  readonly promptId: string;
  readonly at: Instant;
}

/** A live activity began, looks different, or is over; how it looks is asked for by its id. */
export interface ActivitiesChange {
  readonly topic: 'activities';
  readonly position: string;
  readonly kind: 'started' | 'updated' | 'ended' | 'expired' | 'failed';
  readonly activityId: string;
  readonly at: Instant;
}

/** A page that has gone to the person was made, or stands otherwise; how, is asked for by its id. */
export interface PagesChange {
  readonly topic: 'pages';
  readonly position: string;
  readonly kind: 'notified' | 'acknowledged' | 'withdrawn' | 'resolved';
  readonly pageId: string;
  readonly at: Instant;
}

export type Change = InboxChange | DevicesChange | PromptsChange | ActivitiesChange | PagesChange;

export class ChangesSince {
  /** What was seen already, a position; absent: only tell where we are. */
  @Optional() @Opaque(1, 200) after?: string;
}

export interface Changes {
  /** In the order of the log; empty after a reset. */
  readonly changes: readonly Change[];
  /** Nothing that changed up to here is missing: where to go on. */
  readonly position: string;
  /** What was missed is not known any more, or is too much: everything has to be read again. */
  readonly reset: boolean;
}

export class NewestOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 500, unique: true }) accountIds!: string[];
}

/** Where the newest change of an account is. Accounts without one are left out. */
export interface Newest {
  readonly accountId: string;
  readonly position: string;
}

export const AccountChanges = {
  /** What changed for the caller's account since a position. Refused `projection.behind`. */
  since: answers<Changes>()('read-models.changes.since', ChangesSince, [], 'always'),
  /** For a gateway that asks for all the accounts it watches at once. */
  newest: answers<{ newest: Newest[] }>()('read-models.changes.newest', NewestOf, [], 'always'),
};

/** Core NATS signal `sig.account.changed.<account id>`: there are changes up to this position. Lossy. */
export interface AccountChangedSignal {
  position: string;
}
