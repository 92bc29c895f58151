import { instant, type Instant } from '@carillon/eventing';
import { setting } from '@carillon/settings';

/** The business clock: expiry, retries, limits. Socket timeouts and leases use the wall clock. */
export abstract class Clock {
  /** Milliseconds since the Unix epoch. */
  abstract ms(): number;

  now(): Instant {
    return instant(this.ms());
  }

  /** Resolves after `ms` of this clock, or at once when the signal aborts. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /** Calls `work`, which must do everything due, after the clock was moved. Returns a function that stops the calls. */
  abstract onAdvance(work: () => Promise<void>): () => void;
}

class SystemClock extends Clock {
  ms(): number {
    return Date.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms));
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  onAdvance(): () => void {
    return () => {};
  }
}

/** Runs like the system clock, and can be moved forward. For tests only. */
export class ManualClock extends Clock {
  private offset = 0;
  private readonly sleepers = new Set<{ until: number; wake: () => void }>();
  private readonly listeners = new Set<() => Promise<void>>();

  ms(): number {
    return Date.now() + this.offset;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const sleeper = {
        until: this.ms() + ms,
        wake: (): void => {
          clearTimeout(timer);
          this.sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      const timer = setTimeout(sleeper.wake, Math.max(0, ms));
      signal?.addEventListener('abort', sleeper.wake, { once: true });
      this.sleepers.add(sleeper);
    });
  }

  onAdvance(work: () => Promise<void>): () => void {
    this.listeners.add(work);
    return () => this.listeners.delete(work);
  }

  /** Moves the clock and resolves when everything that fell due has been done. */
  async advance(ms: number): Promise<Instant> {
    this.move(ms);
    return this.catchUp();
  }

  /** Moves the clock only: the clocks of all processes are moved before the first process does what is due. */
  move(ms: number): void {
    this.offset += ms;
  }

  /** Does everything that has fallen due, and resolves when it is done. */
  async catchUp(): Promise<Instant> {
    const now = this.ms();
    for (const sleeper of [...this.sleepers].sort((a, b) => a.until - b.until))
      if (sleeper.until <= now) sleeper.wake();
    await Promise.all([...this.listeners].map((work) => work()));
    return this.now();
  }
}

let chosen: Clock | undefined;

/** The one clock of this process: movable when `CARILLON_CLOCK=manual`, which production refuses. */
export function processClock(): Clock {
  if (chosen) return chosen;
  if (setting('CARILLON_CLOCK', '') !== 'manual') return (chosen = new SystemClock());
  if (setting('NODE_ENV', '') === 'production')
    throw new Error('CARILLON_CLOCK=manual is refused in production');
  const clock = new ManualClock();
  beMoved(clock);
  return (chosen = clock);
}

/** A message about the clock from the parent of a cluster process. */
export type ClockOrder = { readonly moveClockMs: number } | { readonly catchUp: true };

/** Lets the parent of a cluster process move its clock, over the channel between them. */
function beMoved(clock: ManualClock): void {
  if (!process.send) return;
  process.on('message', (order: ClockOrder) => {
    if ('moveClockMs' in order) clock.move(order.moveClockMs);
    const done = 'moveClockMs' in order ? Promise.resolve(clock.now()) : clock.catchUp();
    done.then(
      (now) => process.send?.({ now }),
      (error: unknown) => process.send?.({ failed: String(error) }),
    );
  });
}
