import type { TeamRole } from '@carillon/contracts';
import { alone, type App, type Consent } from './app';

/** The team of an app, and the viewer's current role in it. */
export interface AppTeam {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole | null;
  /** By member, which joining it was. */
  readonly joins: Readonly<Record<string, number>>;
}

/** The viewer of an app, with role and membership in its team. */
export interface Viewer {
  readonly accountId: string;
  /** Differs after leaving and joining again; `-` without a team. */
  readonly membership: string;
  readonly role: TeamRole | null;
}

/** The membership of an account in a team, as consents and moves store it. */
export const membershipIn = ({ joins }: Pick<AppTeam, 'joins'>, accountId: string): string => {
  const join = joins[accountId];
  return join === undefined ? alone : String(join);
};

/**
 * The current state of the app: it returns to the account that added it once that account has left the team or the team
 * is deleted, even before the log has the event.
 */
export function asItStands(app: App, team: AppTeam | undefined): App {
  if (app.teamId === null || isOfTeam(app, team)) return app;
  return { ...app, teamId: null, membership: alone, moves: app.moves + 1, claiming: null, consents: {} };
}

const isOfTeam = (app: App, team: AppTeam | undefined): boolean =>
  team?.id === app.teamId && membershipIn(team, app.addedBy) === app.membership;

/** The viewer's consent, if it counts: given for the same team, with an unbroken membership since. */
export const consentOf = (
  { consents }: Pick<App, 'consents'>,
  { accountId, membership }: Pick<Viewer, 'accountId' | 'membership'>,
): Consent | undefined => {
  const consent = consents[accountId];
  return consent?.membership === membership ? consent : undefined;
};
