/** Maximum of matches on a page of the server. */
const MATCHES_IN_PAGE = 32;

/** What a checkpoint names: a prepare position of zero is before everything at that commit position. */
export interface CheckpointPosition {
  commit: number;
  prepare: number;
}

/**
 * Counts considered events and says when a checkpoint is due. While catching up the server looks at pages, and counts
 * when a page is full: it names the page's last match, or the page's start when nothing in it matched. Live it names
 * the event at which it has counted enough.
 */
export class Checkpoints {
  private readonly window: number;
  private readonly every: number;
  private counted = 0;
  private pageStart: number;
  private inPage = 0;
  private matches = 0;
  private lastMatch: number | undefined;

  constructor(
    { window, checkpointEvery }: { window: number; checkpointEvery: number },
    from: number,
    private readonly send: (position: CheckpointPosition) => void,
  ) {
    this.window = window;
    this.every = checkpointEvery;
    this.pageStart = from;
  }

  /** To be called for each event that was looked at, after it was sent if it matched. */
  consider(position: number, next: number, isMatch: boolean, live: boolean): void {
    if (live) return this.considerLive(position);
    this.inPage++;
    if (isMatch) {
      this.matches++;
      this.lastMatch = position;
    }
    if (this.inPage < this.window && this.matches < MATCHES_IN_PAGE) return;
    this.counted += this.inPage;
    if (this.counted >= this.every) {
      this.counted %= this.every;
      this.send(
        this.lastMatch === undefined
          ? { commit: this.pageStart, prepare: 0 }
          : { commit: this.lastMatch, prepare: this.lastMatch },
      );
    }
    this.pageStart = next;
    this.inPage = 0;
    this.matches = 0;
    this.lastMatch = undefined;
  }

  private considerLive(position: number): void {
    // What the last page, which was not full, looked at counts too.
    this.counted += this.inPage + 1;
    this.inPage = 0;
    if (this.counted < this.every) return;
    this.counted = 0;
    this.send({ commit: position, prepare: position });
  }
}
