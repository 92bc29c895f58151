import type { Database } from './database';

/** Orphaned leases are looked for until this long after the last unanswered call to Postgres. */
const lookForMs = 120_000;
/** Longer than the maximum time between writing a row under a claim and beginning its job. */
const orphanedAfterMs = 10_000;

/**
 * Rows that this process owns but works on no more: Postgres leased them to it, or was to release them, after this
 * process had stopped waiting for the answer. Without this class they would be reclaimed only when the lease expires.
 */
export class OrphanedLeases {
  /** For each leased job and each running `take`: a moment before its rows were leased. */
  private readonly takenAfterMs = new Map<unknown, number>();
  /** A moment by the clock of Postgres, which lay before `afterMs` by the clock of this process. */
  private mark: { readonly me: number; readonly at: string; readonly afterMs: number } | undefined;

  constructor(
    private readonly database: Database,
    private readonly ownedSeconds: number,
  ) {}

  /** Records a leased job or a running `take`; its rows were leased after `atMs`, by `performance.now()`. */
  hold(what: unknown, atMs: number): void {
    this.takenAfterMs.set(what, atMs);
  }

  forget(what: unknown): void {
    this.takenAfterMs.delete(what);
  }

  /** Releases the orphaned rows of `me`, by a condition on `owner` and `owned_until`; returns how many. */
  async release(me: number | undefined, release: (which: string) => Promise<number>): Promise<number> {
    if (me === undefined || performance.now() - this.database.unansweredMs > lookForMs) {
      this.mark = undefined;
      return 0;
    }
    const { mark } = this;
    if (mark?.me === me && !this.isOver(mark.afterMs)) return 0;
    // Rows leased before the mark: no leased job and no running `take` is among them.
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
