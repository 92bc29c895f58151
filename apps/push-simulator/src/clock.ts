/** The time of the phones and of what providers keep for them. Runs like the clock under it, and can be moved. */
export class PhoneClock {
  private offset = 0;

  constructor(private readonly under: () => number) {}

  /** Epoch milliseconds. */
  readonly ms = (): number => this.under() + this.offset;

  get aheadSeconds(): number {
    return this.offset / 1000;
  }

  advance(seconds: number): void {
    this.offset += Math.round(seconds * 1000);
  }

  /** Back to the clock under it. What has ended meanwhile stays ended. */
  reset(): void {
    this.offset = 0;
  }
}
