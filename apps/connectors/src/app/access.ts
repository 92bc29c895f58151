import { type Instant, Refused } from '@carillon/eventing';
import { type App, type AppState, there } from './app';
import { asItStands, type AppTeam, membershipIn, type Viewer } from './standing';

/** An app as it stands, and who looks at it. */
export interface ViewedApp {
  readonly app: App;
  readonly viewer: Viewer;
  readonly team: AppTeam | null;
}

/**
 * The app, as what it is to who asks. Refused `app.unknown` when it is nothing to them: of their own or of a team that
 * they are in it must be.
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

/** The same look at what has become of it. */
export function again({ viewer, team }: Pick<ViewedApp, 'viewer' | 'team'>, state: AppState): ViewedApp {
  const found = there(state);
  if (!found) throw new Error('An app was changed without a trace');
  return { app: asItStands(found, team ?? undefined), viewer, team };
}

/** Refused `team.forbidden_role` unless who asks added it, or is at least an admin of its team. */
export function insistOnChanger({ app, viewer }: Pick<ViewedApp, 'app' | 'viewer'>): void {
  if (app.addedBy === viewer.accountId || viewer.role === 'admin' || viewer.role === 'owner') return;
  throw new Refused('team.forbidden_role');
}

/** An app, and which of its moves it was when it was judged who asks. */
export interface Judged {
  readonly id: string;
  readonly moves: number;
  readonly at: Instant;
}

/** The app that was judged. Refused when it was removed or moved since: what who asks may do must be judged anew. */
export function judged(state: AppState, { id, moves }: Pick<Judged, 'id' | 'moves'>): App {
  const app = there(state);
  if (app?.id !== id) throw new Refused('app.unknown');
  if (app.moves !== moves) throw new Refused('stream.concurrent_update');
  return app;
}
