import type { Instant } from '@carillon/eventing';
import { Id, ListOf, Opaque, Optional } from '@carillon/schema';
import { answers } from '../contract';

/** A change in an inbox. Ids and times only: clients fetch the text, if they may read it. */
export interface InboxChange {
  readonly topic: 'inbox';
  /** The log position of the change; increases, and is unique in an account. */
  readonly position: string;
  readonly kind: 'created' | 'updated' | 'read' | 'unread' | 'all_read';
  /** Null for `all_read`, which concerns many items. */
  readonly itemId: string | null;
  /** The project of the items, null for items without a project; absent for all items. */
  readonly projectId?: string | null;
  readonly at: Instant;
}

/** A device was added or removed, or its address changed. */
export interface DevicesChange {
  readonly topic: 'devices';
  readonly position: string;
  readonly deviceId: string;
  readonly at: Instant;
}

/** A prompt was asked or has ended. Its state and text are read by its id. */
export interface PromptsChange {
  readonly topic: 'prompts';
  readonly position: string;
  readonly kind: 'created' | 'answered' | 'canceled' | 'expired';
  readonly promptId: string;
  readonly at: Instant;
}

/** A live activity started, changed or ended. Its content is read by its id. */
export interface ActivitiesChange {
  readonly topic: 'activities';
  readonly position: string;
  readonly kind: 'started' | 'updated' | 'ended' | 'expired' | 'failed';
  readonly activityId: string;
  readonly at: Instant;
}

/** A page that notified the person was created or changed its state, which is read by its id. */
export interface PagesChange {
  readonly topic: 'pages';
  readonly position: string;
  readonly kind: 'notified' | 'acknowledged' | 'withdrawn' | 'resolved';
  readonly pageId: string;
  readonly at: Instant;
}

export type Change = InboxChange | DevicesChange | PromptsChange | ActivitiesChange | PagesChange;

export class ChangesSince {
  /** The last position that the caller has seen; if absent, only the current position is returned. */
  @Optional() @Opaque(1, 200) after?: string;
}

export interface Changes {
  /** The changes in log order; empty on a reset. */
  readonly changes: readonly Change[];
  /** The position up to which the changes are complete, to continue from. */
  readonly position: string;
  /** The missed changes are no longer known or too many: the caller has to read everything again. */
  readonly reset: boolean;
}

export class NewestOf {
  @ListOf(Id.rule('usr'), { min: 1, max: 500, unique: true }) accountIds!: string[];
}

/** The position of an account's newest change. Accounts without changes are left out. */
export interface Newest {
  readonly accountId: string;
  readonly position: string;
}

export const AccountChanges = {
  /** The changes of the caller's account since a position. Refused `projection.behind`. */
  since: answers<Changes>()('read-models.changes.since', ChangesSince, [], 'always'),
  /** For a gateway, which asks about all its watched accounts at once. */
  newest: answers<{ newest: Newest[] }>()('read-models.changes.newest', NewestOf, [], 'always'),
};

/** Core NATS signal `sig.account.changed.<account id>`: there are changes up to this position. Lossy. */
export interface AccountChangedSignal {
  position: string;
}
