import type { TeamRole } from '@carillon/contracts';
import { alone, type App, type Consent } from './app';

/** The team of an app, and what who asks is in it, at this moment. */
export interface AppTeam {
  readonly id: string;
  readonly name: string;
  readonly role: TeamRole | null;
  /** By member, which joining it was. */
  readonly joins: Readonly<Record<string, number>>;
}

/** Who looks at an app, and what they are in its team. */
export interface Viewer {
  readonly accountId: string;
  /** Another one when who left came back; `-` without a team. */
  readonly membership: string;
  readonly role: TeamRole | null;
}

/** How an account is in a team, as consents and moves name it. */
export const membershipIn = ({ joins }: Pick<AppTeam, 'joins'>, accountId: string): string => {
  const join = joins[accountId];
  return join === undefined ? alone : String(join);
};

/**
 * The app as it stands: back with who added it as soon as they are not in its team any more, or there is no such team,
 * also before the log says so.
 */
export function asItStands(app: App, team: AppTeam | undefined): App {
  if (app.teamId === null || isOfTeam(app, team)) return app;
  return { ...app, teamId: null, membership: alone, moves: app.moves + 1, claiming: null, consents: {} };
}

const isOfTeam = (app: App, team: AppTeam | undefined): boolean =>
  team?.id === app.teamId && membershipIn(team, app.addedBy) === app.membership;

/** What the viewer has agreed to, if that counts: it was for the same team, and they have been in it since. */
export const consentOf = (
  { consents }: Pick<App, 'consents'>,
  { accountId, membership }: Pick<Viewer, 'accountId' | 'membership'>,
): Consent | undefined => {
  const consent = consents[accountId];
  return consent?.membership === membership ? consent : undefined;
};
