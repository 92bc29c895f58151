import type { AppEvent, AppFields } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import { type Judged, judged } from './access';
import type { App, AppState } from './app';
import { isInTime, urlKeyOfApp } from './url-claim';
import { originOf } from './url';

/** The fields that may change; null clears. */
export interface AppChanges {
  readonly name?: string;
  readonly url?: string;
  readonly iconUrl?: string | null;
  readonly projectId?: string | null;
  readonly projectName?: string | null;
}

const fieldsOf = ({ name, url, iconUrl, projectId, projectName }: App): AppFields => ({
  name,
  url,
  iconUrl,
  projectId,
  projectName,
});

/** The changes that differ from the app. The name of a project is cleared with the project. */
function newsOf(app: App, { name, url, iconUrl, projectId, projectName }: AppChanges): Partial<App> {
  const isOther = projectId !== undefined && projectId !== app.projectId;
  const asked: Partial<App> = {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url, origin: originOf(url) }),
    ...(iconUrl !== undefined && { iconUrl }),
    ...(projectId !== undefined && { projectId }),
    ...(projectName !== undefined ? { projectName } : isOther && { projectName: null }),
  };
  return Object.fromEntries(
    Object.entries(asked).filter(([field, value]) => app[field as keyof App] !== value),
  );
}

/** Refused `stream.concurrent_update` for a URL whose urlKey the app has not requested just before. */
export const changeApp: Decision<AppState, AppEvent, Judged & { readonly changes: AppChanges }> =
  ({ changes, ...asked }) =>
  (state) => {
    const app = judged(state, asked);
    const news = newsOf(app, changes);
    if (Object.keys(news).length === 0) return [];
    if (news.url !== undefined) insistOnSought(app, { ...app, url: news.url }, asked.at);
    const { id: appId, addedBy: accountId, teamId } = app;
    const former = Object.fromEntries(Object.entries(fieldsOf(app)).filter(([field]) => field in news));
    return [{ type: 'AppChanged', appId, accountId, teamId, ...news, former, changedAt: asked.at }];
  };

/** Requests the urlKey. The event precedes the claim, so that no other app takes the urlKey meanwhile. */
export const requestUrlClaim: Decision<AppState, AppEvent, Judged & { readonly urlKey: string }> =
  ({ urlKey, ...asked }) =>
  (state) => {
    const { id: appId, addedBy: accountId } = judged(state, asked);
    return [{ type: 'AppUrlClaimRequested', appId, accountId, urlKey, requestedAt: asked.at }];
  };

/** Refused `stream.concurrent_update` when the change needs another urlKey that the app has not requested. */
export function insistOnSought(app: App, then: App, at: Instant): void {
  const urlKey = urlKeyOfApp(then);
  if (urlKey === urlKeyOfApp(app)) return;
  if (app.claiming?.urlKey !== urlKey || !isInTime(app.claiming.at, at))
    throw new Refused('stream.concurrent_update');
}

/** A second removal is refused, as there is nothing to remove. */
export const removeApp: Decision<AppState, AppEvent, Judged> = (asked) => (state) => {
  const app = judged(state, asked);
  const { id: appId, addedBy: accountId, teamId } = app;
  return [{ type: 'AppRemoved', appId, accountId, teamId, former: fieldsOf(app), removedAt: asked.at }];
};
