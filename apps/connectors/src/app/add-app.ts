import type { AppEvent } from '@carillon/contracts';
import { type Decision, type Instant, Refused } from '@carillon/eventing';
import type { AppState } from './app';
import { isInTime } from './url-claim';
import { originOf } from './url';

export interface Addition {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly url: string;
  readonly iconUrl?: string | null;
  readonly projectId?: string | null;
  readonly projectName?: string | null;
  /** When the urlKey was claimed for the app. */
  readonly claimedAt: Instant;
  readonly at: Instant;
}

/** Adds the app once under its id, also under concurrent requests. */
export const addApp: Decision<AppState, AppEvent, Addition> =
  ({ id, accountId, name, url, iconUrl = null, projectId = null, projectName = null, claimedAt, at }) =>
  (state) => {
    if (state !== null) return [];
    if (!isInTime(claimedAt, at)) throw new Refused('stream.concurrent_update');
    return [
      {
        type: 'AppAdded',
        appId: id,
        accountId,
        name,
        url,
        origin: originOf(url),
        iconUrl,
        projectId,
        projectName,
        addedAt: at,
      },
    ];
  };
