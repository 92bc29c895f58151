/**
 * How often in a minute Carillon is asked about what has not been good before. The token has 600 requests a minute: who
 * makes up passes, sessions or callbacks must not use up what those need who are in.
 */
export class Allowance {
  private since = -Infinity;
  private used = 0;

  constructor(
    private readonly perMinute: number,
    private readonly clock: { now(): number } = performance,
  ) {}

  take(): boolean {
    const now = this.clock.now();
    if (now - this.since >= 60_000) Object.assign(this, { since: now, used: 0 });
    this.used += 1;
    return this.used <= this.perMinute;
  }
}
