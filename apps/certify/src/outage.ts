import { setTimeout as pause } from 'node:timers/promises';
import type { House } from '@carillon/testkit';
import type { Outage } from './ledger';
import type { Load } from './load';

const everyMs = 500;

/** The longest time between two of these moments, and between them and both ends. */
export function longestGapMs(timesMs: readonly number[], fromMs: number, untilMs: number): number {
  const within = timesMs.filter((atMs) => atMs > fromMs && atMs < untilMs).sort((a, b) => a - b);
  return Math.max(...[...within, untilMs].map((atMs, index) => atMs - (within[index - 1] ?? fromMs)));
}

/**
 * Sends a write and a read every half second, whether or not earlier ones were answered: those that wait for a frozen
 * process say nothing of what the other one serves meanwhile.
 */
export class OutageWatch {
  private readonly fromMs = Date.now();
  private readonly writtenAtMs: number[] = [];
  private readonly rowsAtMs: number[] = [];
  private readonly seen = new Set<string>();
  private readonly asking = new Set<Promise<void>>();
  private readonly timer = setInterval(() => this.ask(), everyMs);

  constructor(
    private readonly house: House,
    private readonly load: Load,
  ) {}

  /** Waits until a write was acknowledged and a row came after `afterMs`, `withinMs` at most. */
  async recovered(afterMs: number, withinMs: number): Promise<void> {
    const isBack = (timesMs: readonly number[]): boolean => timesMs.some((atMs) => atMs > afterMs);
    while (!(isBack(this.writtenAtMs) && isBack(this.rowsAtMs)) && Date.now() < afterMs + withinMs)
      await pause(everyMs);
  }

  /** Ends the watch, and waits for the requests under way. */
  async end(): Promise<Outage> {
    clearInterval(this.timer);
    const untilMs = Date.now();
    await Promise.all(this.asking);
    return {
      writesMs: longestGapMs(this.writtenAtMs, this.fromMs, untilMs),
      rowsMs: longestGapMs(this.rowsAtMs, this.fromMs, untilMs),
    };
  }

  private ask(): void {
    for (const work of [this.write(), this.read()]) {
      const asked = work.finally(() => this.asking.delete(asked));
      this.asking.add(asked);
    }
  }

  private async write(): Promise<void> {
    if (await this.load.isServed()) this.writtenAtMs.push(Date.now());
  }

  private async read(): Promise<void> {
    const answer = await this.house.api('GET', '/inbox/notifications?limit=1').catch(() => undefined);
    const id: unknown = answer?.body?.items?.[0]?.id;
    if (typeof id !== 'string' || this.seen.has(id)) return;
    this.seen.add(id);
    this.rowsAtMs.push(Date.now());
  }
}
