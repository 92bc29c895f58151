import type { AppEvent } from '@carillon/contracts';
import { type Decision, Refused } from '@carillon/eventing';
import { type Judged, judged } from '../app/access';
import type { AppState } from '../app/app';
import { consentOf, type Viewer } from '../app/app-team';

export interface Disclosure {
  readonly shareName: boolean;
  readonly shareEmail: boolean;
}

interface ByViewer extends Judged {
  readonly viewer: Pick<Viewer, 'accountId' | 'membership'>;
}

/** Records the consent to be signed in. An existing consent changes its disclosure. */
export const giveConsent: Decision<AppState, AppEvent, ByViewer & Disclosure> =
  ({ viewer, shareName, shareEmail, ...asked }) =>
  (state) => {
    const app = judged(state, asked);
    if (consentOf(app, viewer)) return changeDisclosure({ viewer, shareName, shareEmail, ...asked })(state);
    const { id: appId, addedBy: accountId } = app;
    const { accountId: userId, membership } = viewer;
    return [
      {
        type: 'ConsentGiven',
        appId,
        accountId,
        userId,
        shareName,
        shareEmail,
        membership,
        givenAt: asked.at,
      },
    ];
  };

/**
 * Changes the data that the app gets about the person; absent fields stay. Refused `consent.required` without a
 * consent.
 */
export const changeDisclosure: Decision<AppState, AppEvent, ByViewer & Partial<Disclosure>> =
  ({ viewer, shareName, shareEmail, ...asked }) =>
  (state) => {
    const app = judged(state, asked);
    const consent = consentOf(app, viewer);
    if (!consent) throw new Refused('consent.required');
    const wanted = {
      shareName: shareName ?? consent.shareName,
      shareEmail: shareEmail ?? consent.shareEmail,
    };
    if (wanted.shareName === consent.shareName && wanted.shareEmail === consent.shareEmail) return [];
    const { id: appId, addedBy: accountId } = app;
    return [
      {
        type: 'DisclosureChanged',
        appId,
        accountId,
        userId: viewer.accountId,
        ...wanted,
        changedAt: asked.at,
      },
    ];
  };
