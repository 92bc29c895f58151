import type { PageKeyClaimed } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import { deriveId, streamTail } from '@carillon/signing';

/** The page that a key of a group stands for; null before it was first used. */
export type SortKey = { readonly pageId: string; readonly at: Instant } | null;

export const pageKey: Decider<SortKey, PageKeyClaimed> = {
  category: 'page_key',
  initial: null,
  evolve: (_, { pageId, claimedAt: at }) => ({ pageId, at }),
  personal: { PageKeyClaimed: [] },
};

/** The stream of a key: what the key says is not in its name. */
export const keyTail = (groupId: string, dedupKey: string): string =>
  streamTail(deriveId('key', 0, groupId, dedupKey));

export interface PageKeyClaim {
  readonly groupId: string;
  readonly pageId: string;
  /** What it stood for when who claims it looked. */
  readonly insteadOf: string | null;
  readonly at: Instant;
}

/** The key stands for this page from now on, unless somebody else was faster. */
export const claim: Decision<SortKey, PageKeyClaimed, PageKeyClaim> =
  ({ groupId, pageId, insteadOf, at }) =>
  (state) => {
    if ((state?.pageId ?? null) !== insteadOf) return [];
    return [{ type: 'PageKeyClaimed', groupId, pageId, claimedAt: at }];
  };
