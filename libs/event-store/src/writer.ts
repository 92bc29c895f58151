import { appendBatchSize } from '@carillon/metrics';
import { randomUUID } from 'node:crypto';
import type { ClientHttp2Stream } from 'node:http2';
import { type Acknowledged, type AppendRequest, batchAnswer, batchFrames } from './batch-append';
import { Messages } from './frames';
import { errorOf, StoreSession } from './session';
import { TookTooLong } from './within';

/** An append whose caller waits for it. */
export interface Awaited {
  /** The caller no longer waits. */
  readonly over: boolean;
  /** The request may have reached the store. */
  sent: boolean;
}

interface Append {
  readonly id: string;
  readonly frames: Buffer;
  readonly caller: Awaited;
  readonly resolve: (acknowledged: Acknowledged) => void;
  readonly reject: (error: unknown) => void;
}

/** Another node would pass each append on to the leader, and not say that it does not lead. */
const toLeader = { 'requires-leader': 'true' };

/**
 * Appends to one node of the event store, over a connection of its own and one open BatchAppend call. What one turn of
 * the event loop appends goes out in one write, so that the store flushes it in one commit. The official client sends
 * its next append when the write of the last one has completed, in a later turn.
 */
export class Writer {
  private readonly session: StoreSession;
  private call: ClientHttp2Stream | undefined;
  /** Appends that the current call has sent, by correlation id. */
  private readonly sent = new Map<string, Append>();
  private outbox: Append[] = [];
  private flushing = false;

  /** `node` is a host and a port. */
  constructor(url: string, node: string) {
    this.session = new StoreSession(url, node, {
      connected: () => this.flush(),
      closed: () => this.closed(),
    });
  }

  /** False once the connection is lost: it needs a new writer. */
  get isOpen(): boolean {
    return this.session.isOpen;
  }

  /** Rejects with the errors of the official client, and with `TookTooLong` when the caller left before it was sent. */
  async append(request: AppendRequest, caller: Awaited): Promise<Acknowledged> {
    if (!this.isOpen) throw errorOf({});
    const id = randomUUID();
    const frames = batchFrames(id, request);
    return new Promise((resolve, reject) => {
      this.outbox.push({ id, frames, caller, resolve, reject });
      this.flushSoon();
    });
  }

  /** The outcome of the appends under way is unknown then. */
  close(): void {
    this.session.close();
  }

  private closed(): void {
    const unavailable = errorOf({});
    for (const { reject } of [...this.sent.values(), ...this.outbox]) reject(unavailable);
    this.sent.clear();
    this.outbox = [];
  }

  /** Sends at the end of this turn of the event loop what was appended until then. */
  private flushSoon(): void {
    if (this.flushing) return;
    this.flushing = true;
    setImmediate(() => {
      this.flushing = false;
      this.flush();
    });
  }

  private flush(): void {
    // It comes again when the connection is made, what was written is gone, or the call has closed.
    if (!this.session.isConnected || this.call?.writableNeedDrain || this.call?.writable === false) return;
    const appends = this.outbox.filter(({ caller }) => !caller.over);
    for (const { caller, reject } of this.outbox) if (caller.over) reject(new TookTooLong());
    this.outbox = appends;
    if (appends.length === 0) return;
    try {
      this.call ??= this.open();
    } catch {
      // The server takes no new calls on this connection.
      return this.close();
    }
    this.outbox = [];
    appendBatchSize.observe(appends.length);
    for (const append of appends) {
      append.caller.sent = true;
      this.sent.set(append.id, append);
    }
    this.call.write(Buffer.concat(appends.map(({ frames }) => frames)));
  }

  private open(): ClientHttp2Stream {
    const messages = new Messages();
    const call = this.session.call('BatchAppend', toLeader, (end) => {
      if (this.call !== call) return;
      this.call = undefined;
      const error = errorOf(end);
      for (const { reject } of this.sent.values()) reject(error);
      this.sent.clear();
      this.flush();
    });
    call.on('data', (chunk: Buffer) => {
      try {
        for (const message of messages.in(chunk)) this.settle(message);
      } catch {
        // Not the protocol that was agreed on: nobody can tell which append is meant.
        this.close();
      }
    });
    call.on('drain', () => this.flush());
    return call;
  }

  private settle(message: Buffer): void {
    const { id, outcome } = batchAnswer(message);
    const append = this.sent.get(id);
    this.sent.delete(id);
    if (outcome instanceof Error) append?.reject(outcome);
    else append?.resolve(outcome);
  }
}
