import { Bus } from '@carillon/bus';
import { AccountChanges, type AccountChangedSignal } from '@carillon/contracts';
import { logger } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { systemContext } from '../request/context';

/** A lost signal delays a change by at most this time. */
const sweepMs = 1_000;
/** How many accounts one poll may name. */
const sweptAtOnce = 500;

const log = logger('gateway');

interface Watched {
  newest: bigint;
  readonly wakes: Set<() => void>;
  users: number;
  readonly stop: () => void;
}

/** Watches the changes of one account until it is closed. */
export interface Watch {
  /** Resolves when there is a change after the position, `ms` have passed, or the signal aborts. */
  changed(after: string, ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/**
 * Wakes the watches of an account when it changes. A signal does so at once; since signals may be lost, the gateway
 * also polls once a second for all watched accounts together, so that idle streams cost next to nothing.
 */
@Injectable()
export class Watches implements OnModuleDestroy {
  private readonly accounts = new Map<string, Watched>();
  private timer: NodeJS.Timeout | undefined;
  private sweeping = false;

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  open(accountId: string): Watch {
    const watched = this.accounts.get(accountId) ?? this.begin(accountId);
    watched.users += 1;
    let open = true;
    return {
      changed: (after, ms, signal) => changed(watched, BigInt(after), ms, signal),
      close: () => {
        if (!open) return;
        open = false;
        watched.users -= 1;
        if (watched.users === 0) this.end(accountId, watched);
      },
    };
  }

  /** How many accounts are watched. */
  get size(): number {
    return this.accounts.size;
  }

  private begin(accountId: string): Watched {
    const watched: Watched = {
      newest: 0n,
      wakes: new Set(),
      users: 0,
      stop: this.bus.onSignalOf<AccountChangedSignal>('account.changed', accountId, ({ position }) =>
        advance(watched, position),
      ),
    };
    this.accounts.set(accountId, watched);
    this.timer ??= setInterval(() => void this.sweep(), sweepMs).unref();
    return watched;
  }

  private end(accountId: string, watched: Watched): void {
    watched.stop();
    this.accounts.delete(accountId);
    if (this.accounts.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      const all = [...this.accounts.keys()];
      for (let from = 0; from < all.length; from += sweptAtOnce) {
        const accountIds = all.slice(from, from + sweptAtOnce);
        const { value } = await this.bus.ask(
          AccountChanges.newest,
          { accountIds },
          systemContext('gateway.streams', 5_000),
        );
        for (const { accountId, position } of value.newest) {
          const watched = this.accounts.get(accountId);
          if (watched) advance(watched, position);
        }
      }
    } catch (error) {
      log.debug({ err: error }, 'Failed to poll for changes: the next poll tries again');
    } finally {
      this.sweeping = false;
    }
  }
}

function advance(watched: Watched, position: string): void {
  const newest = BigInt(position);
  if (newest <= watched.newest) return;
  watched.newest = newest;
  for (const wake of watched.wakes) wake();
}

const changed = (watched: Watched, after: bigint, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      watched.wakes.delete(wake);
      resolve();
    };
    const wake = (): void => {
      if (watched.newest > after) done();
    };
    const timer = setTimeout(done, ms);
    watched.wakes.add(wake);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted || watched.newest > after) done();
  });
