import type { StreamMetadata } from './metadata';

/** Which events of a stream may still be read. */
export interface Visible {
  /** The first revision that can be visible. */
  from: number;
  /** Events created before this moment (milliseconds) are gone. */
  createdAfter?: number;
}

/** Applies `$maxCount`, `$maxAge` and `$tb` to a stream whose last revision is known. */
export function visible(metadata: StreamMetadata | undefined, last: number, now: number): Visible {
  if (!metadata) return { from: 0 };
  const byCount = metadata.maxCount === undefined ? 0 : last - metadata.maxCount + 1;
  return {
    from: Math.max(0, byCount, metadata.truncateBefore ?? 0),
    createdAfter: metadata.maxAgeSeconds === undefined ? undefined : now - metadata.maxAgeSeconds * 1000,
  };
}

/** Whether an event at this revision, created at this moment, may still be read. */
export function isVisible(rule: Visible, revision: number, createdAt: () => number): boolean {
  return revision >= rule.from && (rule.createdAfter === undefined || createdAt() >= rule.createdAfter);
}
