/** Why nobody waits any more. */
export type Over = 'left' | 'closing' | 'TOKEN_REVOKED' | 'TOKEN_EXPIRED' | 'TOKEN_INVALID';

/** Somebody who waits. There are thousands of them, so it is no more than it must be. */
export class Sleeper {
  /** Unix milliseconds by the service's clock at which it wakes by itself. */
  until = Infinity;
  over: Over | undefined;
  private woken = false;
  private rouse: (() => void) | undefined;

  /** Wakes it, or lets its next sleep end at once. */
  readonly wake = (): void => {
    this.woken = true;
    this.rouse?.();
  };

  /** There is no more to wait for. */
  end(over: Over): void {
    this.over ??= over;
    this.wake();
  }

  /** Resolves when it was woken since its last sleep, or after `ms`. */
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
