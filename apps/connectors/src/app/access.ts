import { type Instant, Refused } from '@carillon/eventing';
import { type App, type AppState, there } from './app';
import { asItStands, type AppTeam, membershipIn, type Viewer } from './app-team';

/** An app in its current state, and its viewer. */
export interface ViewedApp {
  readonly app: App;
  readonly viewer: Viewer;
  readonly team: AppTeam | null;
}

/**
 * The app as the viewer may access it. Refused `app.unknown` unless the app is the viewer's own or of a team that the
 * viewer is in.
 */
export function asViewer(
  state: AppState,
  team: AppTeam | undefined,
  { id, accountId }: { readonly id: string; readonly accountId: string },
): ViewedApp {
  const found = there(state);
  if (found?.id !== id) throw new Refused('app.unknown');
  const app = asItStands(found, team);
  const of = app.teamId === null || !team ? null : team;
  const viewer: Viewer = {
    accountId,
    membership: of ? membershipIn(of, accountId) : '-',
    role: of?.role ?? null,
  };
  if (of ? of.role === null : app.addedBy !== accountId) throw new Refused('app.unknown');
  return { app, viewer, team: of };
}

/** The same viewer with the new state of the app. */
export function again({ viewer, team }: Pick<ViewedApp, 'viewer' | 'team'>, state: AppState): ViewedApp {
  const found = there(state);
  if (!found) throw new Error('An app was changed without a trace');
  return { app: asItStands(found, team ?? undefined), viewer, team };
}

/** Refused `team.forbidden_role` unless the caller added the app, or is at least an admin of its team. */
export function insistOnChanger({ app, viewer }: Pick<ViewedApp, 'app' | 'viewer'>): void {
  if (app.addedBy === viewer.accountId || viewer.role === 'admin' || viewer.role === 'owner') return;
  throw new Refused('team.forbidden_role');
}

/** An app, with its number of moves when the caller's access was checked. */
export interface Judged {
  readonly id: string;
  readonly moves: number;
  readonly at: Instant;
}

/** The app that was checked. Refused when it was removed or moved since: the caller's access must be checked again. */
export function judged(state: AppState, { id, moves }: Pick<Judged, 'id' | 'moves'>): App {
  const app = there(state);
  if (app?.id !== id) throw new Refused('app.unknown');
  if (app.moves !== moves) throw new Refused('stream.concurrent_update');
  return app;
}
