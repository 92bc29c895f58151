import type { Database } from './database';

/** So long after Postgres was not answered last orphaned rows are looked for. */
const lookForMs = 120_000;
/** Longer than what was written under a claim may take to be begun. */
const orphanedAfterMs = 10_000;

/**
 * Rows that are ours and that nobody here has in hand: Postgres has taken them for us, or was to take them back from us,
 * when we had ceased to wait for its answer. Without this they would be found when their time is over.
 */
export class OrphanedLeases {
  /** Before when none of what is in hand was taken, for each; what is just being taken too. */
  private readonly takenAfterMs = new Map<unknown, number>();
  /** A moment by the clock of Postgres, which lay before `afterMs` by our own. */
  private mark: { readonly me: number; readonly at: string; readonly afterMs: number } | undefined;

  constructor(
    private readonly database: Database,
    private readonly ownedSeconds: number,
  ) {}

  /** In hand, or just being taken, from now on; its rows were taken after `atMs`, by `performance.now()`. */
  hold(what: unknown, atMs: number): void {
    this.takenAfterMs.set(what, atMs);
  }

  forget(what: unknown): void {
    this.takenAfterMs.delete(what);
  }

  /** Gives back, by a condition on `owner` and `owned_until`, what of the rows of `me` is orphaned; tells how many. */
  async release(me: number | undefined, release: (which: string) => Promise<number>): Promise<number> {
    if (me === undefined || performance.now() - this.database.unansweredMs > lookForMs) {
      this.mark = undefined;
      return 0;
    }
    const { mark } = this;
    if (mark?.me === me && !this.isOver(mark.afterMs)) return 0;
    // Rows that were taken before the mark: none that is in hand, or just being taken, is of those.
    const released =
      mark?.me === me
        ? await release(
            `owner = ${me} AND owned_until < '${mark.at}'::timestamptz + interval '${this.ownedSeconds} seconds'`,
          )
        : 0;
    const [{ at }] = await this.database.query(`SELECT clock_timestamp()::text AS at`);
    this.mark = { me, at, afterMs: performance.now() };
    return released;
  }

  private isOver(afterMs: number): boolean {
    return (
      performance.now() - afterMs > orphanedAfterMs &&
      [...this.takenAfterMs.values()].every((takenAfterMs) => takenAfterMs > afterMs)
    );
  }
}
