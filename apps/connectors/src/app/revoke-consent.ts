import type { AppEvent } from '@carillon/contracts';
import type { Decision } from '@carillon/eventing';
import { type Judged, judged } from './access';
import type { AppState } from './app';

/** Of one person only. Nothing where there is none. */
export const revokeConsent: Decision<AppState, AppEvent, Judged & { readonly userId: string }> =
  ({ userId, ...asked }) =>
  (state) => {
    const { id: appId, addedBy: accountId, consents } = judged(state, asked);
    if (!consents[userId]) return [];
    return [{ type: 'ConsentRevoked', appId, accountId, userId, revokedAt: asked.at }];
  };
