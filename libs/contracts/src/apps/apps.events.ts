import type { Instant } from '@carillon/eventing';

/**
 * Stream `app-<tail of the id>`; sealed with the key of who added it, whosever it is now. `teamId` is the team that has
 * it when this happens, null for none.
 */
export type AppEvent = AppAdded | AppUrlClaimRequested | AppChanged | AppMoved | AppRemoved | ConsentEvent;

export interface AppAdded {
  readonly type: 'AppAdded';
  readonly appId: string;
  /** Who added it. */
  readonly accountId: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly origin: string | null;
  readonly iconUrl: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  readonly addedAt: Instant;
}

/** It is about to have this URL with this owner. Until it does, or for a minute, nobody else may. */
export interface AppUrlClaimRequested {
  readonly type: 'AppUrlClaimRequested';
  readonly appId: string;
  readonly accountId: string;
  /** The key of owner and URL, as `app_url_claim` streams are named. */
  readonly urlKey: string;
  readonly requestedAt: Instant;
}

/** What of an app a person has written. */
export interface AppFields {
  readonly name: string;
  readonly url: string;
  readonly iconUrl: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
}

/** What is absent stayed as it was. Another origin ends every consent. */
export interface AppChanged {
  readonly type: 'AppChanged';
  readonly appId: string;
  readonly accountId: string;
  readonly teamId: string | null;
  readonly name?: string | null;
  readonly url?: string | null;
  readonly origin?: string | null;
  readonly iconUrl?: string | null;
  readonly projectId?: string | null;
  readonly projectName?: string | null;
  /** What has changed, as it was before. */
  readonly former: Partial<AppFields> | null;
  readonly changedAt: Instant;
}

/**
 * Into a team, or back to who added it; from one team into another it goes both ways. Ends every consent but that of `by`, the mover; null when nobody moved it: it
 * came back because its team was deleted, or who added it is not in that any more.
 */
export interface AppMoved {
  readonly type: 'AppMoved';
  readonly appId: string;
  readonly accountId: string;
  readonly formerTeamId: string | null;
  readonly teamId: string | null;
  /** How who added it is in the team: the app is the team's for as long as this is so. `-` without a team. */
  readonly membership: string;
  readonly by: string | null;
  /** The others in the team are told. */
  readonly notify: boolean;
  readonly movedAt: Instant;
}

export interface AppRemoved {
  readonly type: 'AppRemoved';
  readonly appId: string;
  readonly accountId: string;
  readonly teamId: string | null;
  readonly former: AppFields | null;
  readonly removedAt: Instant;
}

type ConsentEvent = ConsentGiven | DisclosureChanged | ConsentRevoked;

/** A person agreed to be signed in to it. It counts for as long as they are in its team as they were then. */
export interface ConsentGiven {
  readonly type: 'ConsentGiven';
  readonly appId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly shareName: boolean;
  readonly shareEmail: boolean;
  /** How the person is in the app's team, `-` without a team. */
  readonly membership: string;
  readonly givenAt: Instant;
}

export interface DisclosureChanged {
  readonly type: 'DisclosureChanged';
  readonly appId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly shareName: boolean;
  readonly shareEmail: boolean;
  readonly changedAt: Instant;
}

export interface ConsentRevoked {
  readonly type: 'ConsentRevoked';
  readonly appId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly revokedAt: Instant;
}

/** Stream `app_url_claim-<key of owner and URL>`: which app has this URL with this owner, or is about to. */
export interface AppUrlClaimed {
  readonly type: 'AppUrlClaimed';
  readonly urlKey: string;
  readonly accountId: string;
  /** Null when it was given up: there was no slot for one more app. */
  readonly appId: string | null;
  readonly claimedAt: Instant;
}
