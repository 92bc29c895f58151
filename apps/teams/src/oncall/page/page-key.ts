import type { PageKeyClaimed } from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import { deriveId, streamTail } from '@carillon/signing';

/** The page that a key of a group refers to; null before its first use. */
export type SortKey = { readonly pageId: string; readonly at: Instant } | null;

export const pageKey: Decider<SortKey, PageKeyClaimed> = {
  category: 'page_key',
  initial: null,
  evolve: (_, { pageId, claimedAt: at }) => ({ pageId, at }),
  personal: { PageKeyClaimed: [] },
};

/** The tail of a key's stream: a hash, which does not disclose the key. */
export const keyTail = (groupId: string, dedupKey: string): string =>
  streamTail(deriveId('key', 0, groupId, dedupKey));

export interface PageKeyClaim {
  readonly groupId: string;
  readonly pageId: string;
  /** The page that the key referred to when the claimer read it. */
  readonly insteadOf: string | null;
  readonly at: Instant;
}

/** Claims the key for this page, unless another claim came first. */
export const claim: Decision<SortKey, PageKeyClaimed, PageKeyClaim> =
  ({ groupId, pageId, insteadOf, at }) =>
  (state) => {
    if ((state?.pageId ?? null) !== insteadOf) return [];
    return [{ type: 'PageKeyClaimed', groupId, pageId, claimedAt: at }];
  };
