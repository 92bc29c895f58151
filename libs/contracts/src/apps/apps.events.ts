import type { Instant } from '@carillon/eventing';

/**
 * Stream `app-<tail of the id>`; sealed with the key of the account that added the app, even after a move. `teamId` is
 * the team of the app at the time of the event, null for none.
 */
export type AppEvent = AppAdded | AppUrlClaimRequested | AppChanged | AppMoved | AppRemoved | ConsentEvent;

export interface AppAdded {
  readonly type: 'AppAdded';
  readonly appId: string;
  /** The account that added the app. */
  readonly accountId: string;
  readonly name: string | null;
  readonly url: string | null;
  readonly origin: string | null;
  readonly iconUrl: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
  readonly addedAt: Instant;
}

/** The app claims this URL for this owner: for a minute, or until it has the URL, no other app can claim it. */
export interface AppUrlClaimRequested {
  readonly type: 'AppUrlClaimRequested';
  readonly appId: string;
  readonly accountId: string;
  /** The key of owner and URL, as in the names of `app_url_claim` streams. */
  readonly urlKey: string;
  readonly requestedAt: Instant;
}

/** The fields of an app that a person has written. */
export interface AppFields {
  readonly name: string;
  readonly url: string;
  readonly iconUrl: string | null;
  readonly projectId: string | null;
  readonly projectName: string | null;
}

/** Absent fields are unchanged. A new origin ends every consent. */
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
  /** The former values of the changed fields. */
  readonly former: Partial<AppFields> | null;
  readonly changedAt: Instant;
}

/**
 * The app was moved into a team, or back to the account that added it; a move between teams takes both steps. Ends
 * every consent except that of `by`, the mover. `by` is null when the app came back because its team was deleted or the
 * account that added it left the team.
 */
export interface AppMoved {
  readonly type: 'AppMoved';
  readonly appId: string;
  readonly accountId: string;
  readonly formerTeamId: string | null;
  readonly teamId: string | null;
  /** The membership of the account that added the app: the app is the team's while it lasts. `-` without a team. */
  readonly membership: string;
  readonly by: string | null;
  /** Whether the other members of the team are notified. */
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

/** A person agreed to be signed in to the app. The consent is valid while the person's membership in its team lasts. */
export interface ConsentGiven {
  readonly type: 'ConsentGiven';
  readonly appId: string;
  readonly accountId: string;
  readonly userId: string;
  readonly shareName: boolean;
  readonly shareEmail: boolean;
  /** The person's membership in the app's team, `-` without a team. */
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

/** Stream `app_url_claim-<key of owner and URL>`: the app that has or has claimed this URL with this owner. */
export interface AppUrlClaimed {
  readonly type: 'AppUrlClaimed';
  readonly urlKey: string;
  readonly accountId: string;
  /** Null when the claim was released because the quota had no free slot for the app. */
  readonly appId: string | null;
  readonly claimedAt: Instant;
}
