/** A call that hangs, as one over a connection that is cut off, holds up the next no longer than this. */
const waitMs = 100;

/**
 * Calls of one key, one at a time. Who comes while one is under way shares the next one with all who come until it
 * begins: each gets what was found after coming.
 */
export class SharedCalls<Value> {
  private readonly running = new Map<string, Promise<Value>>();
  private readonly next = new Map<string, Promise<Value>>();

  share(key: string, call: () => Promise<Value>): Promise<Value> {
    const shared = this.next.get(key);
    if (shared) return shared;
    const running = this.running.get(key);
    if (!running) return this.begin(key, call);
    const next = endOf(running).then(() => {
      this.next.delete(key);
      return this.begin(key, call);
    });
    this.next.set(key, next);
    return next;
  }

  private begin(key: string, call: () => Promise<Value>): Promise<Value> {
    const begun = call();
    this.running.set(key, begun);
    const end = (): void => {
      if (this.running.get(key) === begun) this.running.delete(key);
    };
    begun.then(end, end);
    return begun;
  }
}

function endOf(call: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    call.then(end, end);
  });
}
