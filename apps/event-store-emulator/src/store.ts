import { randomUUID } from 'node:crypto';
import { type Indexed, Log } from './log';
import { tell, type WriteRequest, type WriteOutcome } from './writes';
import { Reader } from './reader';
import { Writer } from './writer';

const COMMIT_BYTES = 8 * 1024 * 1024;

interface WriteAnswer {
  order: WriteRequest;
  outcome: WriteOutcome;
}

/**
 * Takes write requests and commits them in groups: requests that arrive while a commit is on its way to the disk wait
 * in the sockets and go into the next commit together. No writer or reader sees an event before it is on the disk.
 */
export class Store {
  readonly reader: Reader;
  private readonly writer: Writer;
  private waiting: WriteRequest[] = [];
  private working: Promise<void> | undefined;
  private closing = false;

  private constructor(
    private readonly log: Log,
    now: () => number,
    private readonly onFatal: (error: Error) => void,
  ) {
    this.reader = new Reader(log, now);
    this.writer = new Writer(log, this.reader, now);
  }

  static async open(
    folder: string,
    options: { now: () => number; onFatal: (error: Error) => void },
  ): Promise<Store> {
    const store = new Store(Log.open(folder), options.now, options.onFatal);
    if (store.log.isEmpty()) await store.begin();
    return store;
  }

  /** A fresh server is never empty: clients may count on some system event in $all. */
  private async begin(): Promise<void> {
    await new Promise<void>((done) =>
      this.submit({
        kind: 'append',
        stream: '$server-info',
        expected: -2,
        events: [
          {
            id: randomUUID(),
            type: '$server-created',
            json: true,
            data: Buffer.from(JSON.stringify({ server: 'event-store-emulator' })),
            metadata: Buffer.alloc(0),
          },
        ],
        deadline: Infinity,
        done: () => done(),
      }),
    );
  }

  /** Takes a write request; its `done` is called once, after the flush. */
  submit(order: WriteRequest): void {
    if (this.closing) return order.done({ outcome: 'unavailable' });
    this.waiting.push(order);
    // The rest of this turn's requests come along in the same commit.
    this.working ??= new Promise((resolve) =>
      setImmediate(() => {
        this.work();
        resolve();
      }),
    );
  }

  private work(): void {
    while (this.waiting.length > 0) {
      const answers: WriteAnswer[] = [];
      let prepared: ReturnType<Writer['prepared']>;
      try {
        this.decideWaiting(answers);
        prepared = this.writer.prepared();
        if (prepared) this.log.commit(prepared.batch);
      } catch (error) {
        // What is in memory may be ahead of the disk now, and nobody can tell by how much.
        this.closing = true;
        for (const order of [...answers.map((answer) => answer.order), ...this.waiting.splice(0)])
          tell(order, { outcome: 'unavailable' });
        this.onFatal(error as Error);
        break;
      }
      if (prepared) {
        this.reader.take(prepared.batch, prepared.end);
        this.writer.committed();
      }
      for (const { order, outcome } of answers) tell(order, outcome);
      if (prepared) this.reader.ring(prepared.batch);
    }
    this.working = undefined;
  }

  /** Decides what is waiting, up to the size of a commit. */
  private decideWaiting(answers: WriteAnswer[]): void {
    this.writer.begin();
    const at = Date.now();
    while (answers.length < this.waiting.length && this.writer.batchBytes < COMMIT_BYTES) {
      const order = this.waiting[answers.length]!;
      const outcome: WriteOutcome =
        order.deadline <= at ? { outcome: 'deadline-exceeded' } : this.writer.take(order);
      answers.push({ order, outcome });
    }
    this.waiting = answers.length === this.waiting.length ? [] : this.waiting.slice(answers.length);
  }

  /**
   * Removes up to so many events that a scavenge removes, of the streams after this name. Returns the name of the last
   * stream that is done; undefined at the end.
   */
  scavenge(after: string, limit: number): string | undefined {
    if (this.closing) return undefined;
    const names = this.log.streamsAfter(after, limit);
    const removed: Indexed[] = [];
    let done: string | undefined;
    for (const name of names) {
      removed.push(...this.reader.unreadable(name, limit - removed.length));
      // The stream may have more.
      if (removed.length >= limit) break;
      done = name;
    }
    if (removed.length > 0) {
      this.log.remove(removed);
      this.reader.forget();
    }
    return done ?? (names.length > 0 ? after : undefined);
  }

  /** Finishes what was accepted and closes the files. */
  async close(): Promise<void> {
    await this.drain();
    await this.log.close();
  }

  /** Accepts nothing more, and resolves when everything accepted is answered. */
  async drain(): Promise<void> {
    this.closing = true;
    await this.working;
  }
}
