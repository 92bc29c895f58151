/** Why a wait ended before its prompt did. */
export type Over =
  'left' | 'closing' | 'TOKEN_REVOKED' | 'TOKEN_EXPIRED' | 'TOKEN_INVALID' | 'ACCOUNT_SUSPENDED';

/** One open wait, asleep between two reads of its prompt. A gateway has thousands, so a sleeper holds little. */
export class Sleeper {
  /** When the sleeper wakes by itself: Unix milliseconds by the service's clock. */
  until = Infinity;
  over: Over | undefined;
  private woken = false;
  private rouse: (() => void) | undefined;

  /** Wakes the sleeper, or lets its next sleep end at once. */
  readonly wake = (): void => {
    this.woken = true;
    this.rouse?.();
  };

  /** Ends the wait: the sleeper wakes, and `over` says why. The first reason counts. */
  end(over: Over): void {
    this.over ??= over;
    this.wake();
  }

  /** Sleeps until the sleeper is woken, at once when that happened since its last sleep, or for `ms`. */
  async sleep(ms: number): Promise<void> {
    if (!this.woken)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.rouse = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.rouse = undefined;
    this.woken = false;
  }
}
