import { type Instant, millis } from '@carillon/eventing';
import { isDeepStrictEqual } from 'node:util';
import type { OncallGroup } from '../../team/oncall';
import type { PastPage, Ring } from './past-page';
import { replay } from './replay';

/** The actual and the simulated rings of a page. */
export interface Compared {
  readonly pageId: string;
  readonly before: readonly Ring[];
  readonly after: readonly Ring[];
  /** How much later (negative: earlier) the first ring would have been; null if either has no ring. */
  readonly firstRungDeltaSeconds: number | null;
}

export interface Summary {
  readonly pageCount: number;
  /** The number of pages that would have rung other people, or at other times. */
  readonly changedCount: number;
  readonly earlierCount: number;
  readonly laterCount: number;
  /** The number of pages that would have rung nobody. */
  readonly unrungCount: number;
  readonly ringsBefore: number;
  readonly ringsAfter: number;
}

export const compare = (pages: readonly PastPage[], group: OncallGroup, now: Instant): Compared[] =>
  pages.map((past) => {
    const after = replay(past, group, now);
    const { pageId, rings: before } = past;
    return { pageId, before, after, firstRungDeltaSeconds: deltaOf(before[0], after[0]) };
  });

const deltaOf = (before: Ring | undefined, after: Ring | undefined): number | null =>
  before && after ? Math.round((millis(after.at) - millis(before.at)) / 1_000) : null;

export const summaryOf = (compared: readonly Compared[]): Summary => {
  const countOf = (which: (page: Compared) => boolean): number => compared.filter(which).length;
  return {
    pageCount: compared.length,
    changedCount: countOf(({ before, after }) => !isDeepStrictEqual(before, after)),
    earlierCount: countOf(({ firstRungDeltaSeconds: delta }) => delta !== null && delta < 0),
    laterCount: countOf(({ firstRungDeltaSeconds: delta }) => delta !== null && delta > 0),
    unrungCount: countOf(({ after }) => after.length === 0),
    ringsBefore: compared.reduce((sum, { before }) => sum + before.length, 0),
    ringsAfter: compared.reduce((sum, { after }) => sum + after.length, 0),
  };
};
