import { Bus } from '@carillon/bus';
import { Interactions } from '@carillon/contracts';
import { logger } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { systemContext } from '../request/context';

/** How often prompts are looked up: an end whose signal was lost is noticed within this time. */
const sweepMs = 1_000;
/** How many prompts one poll names. */
const sweptAtOnce = 500;

const log = logger('gateway');

/**
 * Wakes the waits for a prompt when it ends. The signal of its end does so at once; since signals may be lost, the
 * gateway also polls once a second for all prompts that it has waits for.
 */
@Injectable()
export class Endings implements OnModuleInit, OnModuleDestroy {
  private readonly waiting = new Map<string, Set<() => void>>();
  private stopListening = (): void => {};
  private timer: NodeJS.Timeout | undefined;
  private sweeping = false;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  onModuleInit(): void {
    this.stopListening = this.bus.onSignal('interaction.ended', (id) => this.wake(id));
  }

  onModuleDestroy(): void {
    this.stopListening();
    clearInterval(this.timer);
  }

  /**
   * Calls `wake` when the prompt ends, until the returned function is called. The caller reads the prompt after this
   * call, so that no end is missed.
   */
  listen(id: string, wake: () => void): () => void {
    const wakes = this.waiting.get(id) ?? new Set();
    wakes.add(wake);
    this.waiting.set(id, wakes);
    this.timer ??= setInterval(() => void this.sweep(), sweepMs).unref();
    return () => {
      wakes.delete(wake);
      if (wakes.size === 0 && this.waiting.get(id) === wakes) this.waiting.delete(id);
      if (this.waiting.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  }

  /** How many prompts this gateway has waits for. */
  get size(): number {
    return this.waiting.size;
  }

  private wake(id: string): void {
    for (const wake of this.waiting.get(id) ?? []) wake();
  }

  private async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      const all = [...this.waiting.keys()];
      for (let from = 0; from < all.length; from += sweptAtOnce) {
        const ids = all.slice(from, from + sweptAtOnce);
        const { value } = await this.bus.ask(
          Interactions.endedAmong,
          { ids },
          systemContext('gateway.waits', 5_000),
        );
        for (const id of value.ids) this.wake(id);
      }
    } catch (error) {
      log.debug({ err: error }, 'Failed to poll for ended prompts: the next poll tries again');
    } finally {
      this.sweeping = false;
    }
  }
}
