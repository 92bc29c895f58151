/** Processes items in batches: items added while one batch runs form the next batch. No batch waits for a timer. */
export class Batches<Item> {
  private waiting: Item[] = [];
  private next: Promise<void> | undefined;
  private current: Promise<void> = Promise.resolve();

  constructor(private readonly work: (items: readonly Item[]) => Promise<void>) {}

  /** Resolves when the batch with these items is done, throws when it failed. */
  add(...items: readonly Item[]): Promise<void> {
    this.waiting.push(...items);
    this.next ??= this.current.then(() => {
      const batch = this.waiting;
      this.waiting = [];
      this.next = undefined;
      const done = this.work(batch);
      this.current = done.catch(() => {});
      return done;
    });
    return this.next;
  }
}
