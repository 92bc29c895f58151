import type { Instant } from '@carillon/eventing';

/** The binding of a pass and of the session that it is exchanged for. */
export interface AccessBound {
  readonly connectorId: string;
  /** The name of the route. */
  readonly route: string;
  readonly appId: string;
  readonly userId: string;
  /** The time of the underlying consent. A later consent does not make the pass valid again. */
  readonly consentedAt: Instant;
}

/** Stream `pass-<hash of the pass>`, which is deleted once the pass is useless. */
export type PassEvent = PassIssued | PassSpent;

export interface PassIssued extends AccessBound {
  readonly type: 'PassIssued';
  readonly passHash: string;
  readonly issuedAt: Instant;
  readonly until: Instant;
}

export interface PassSpent {
  readonly type: 'PassSpent';
  /** The id of the command that spent the pass: its repetition gets the same session. */
  readonly by: string;
  readonly spentAt: Instant;
}

/** Stream `gateway_session-<hash of the session>`, which is deleted once the session is over. */
export type GatewaySessionEvent = GatewaySessionBegun | GatewaySessionUsed;

export interface GatewaySessionBegun extends AccessBound {
  readonly type: 'GatewaySessionBegun';
  readonly sessionHash: string;
  readonly begunAt: Instant;
  readonly until: Instant;
}

/** Recorded at most once a minute. */
export interface GatewaySessionUsed {
  readonly type: 'GatewaySessionUsed';
  readonly usedAt: Instant;
}

/** Stream `app_use-<app>_<person>`, of which the newest event is kept: when the person last opened the app. */
export interface AppOpened {
  readonly type: 'AppOpened';
  readonly appId: string;
  readonly userId: string;
  readonly openedAt: Instant;
}
