import { createHmac } from 'node:crypto';
import type { App as AppView } from '@carillon/contracts';
import type { ViewedApp } from './access';
import type { App } from './app';
import { consentOf, type Viewer } from './app-team';

/**
 * The key of the data that a browser keeps of an app. It differs by viewer, app, origin and team, and changes when the
 * viewer rejoins the team or the app is moved.
 */
export function storageScope(
  key: Buffer,
  { id, origin, teamId, moves }: Pick<App, 'id' | 'origin' | 'teamId' | 'moves'>,
  { accountId, membership }: Pick<Viewer, 'accountId' | 'membership'>,
): string {
  const factors = [accountId, id, origin, teamId ?? '-', `${membership}.${moves}`];
  return createHmac('sha256', key).update(factors.join('|')).digest('base64url').slice(0, 24);
}

/** The app as the API shows it to this viewer. */
export function appView(key: Buffer, { app, viewer, team }: ViewedApp, lastOpenedAt: string | null): AppView {
  const consent = consentOf(app, viewer);
  return {
    id: app.id,
    name: app.name,
    origin: app.origin,
    iconUrl: app.iconUrl,
    storageScope: storageScope(key, app, viewer),
    url: app.url,
    projectId: app.projectId,
    // Without a name of its own a project is called by its id.
    projectName: app.projectId === null ? null : (app.projectName ?? app.projectId),
    shareName: consent?.shareName ?? false,
    shareEmail: consent?.shareEmail ?? false,
    consentedAt: consent?.at ?? null,
    lastOpenedAt,
    createdBy: app.addedBy,
    createdAt: app.addedAt,
    updatedAt: app.updatedAt,
    team: team && { id: team.id, name: team.name },
    addedBy: app.addedBy,
  };
}
