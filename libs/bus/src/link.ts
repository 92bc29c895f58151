import {
  connect,
  createInbox,
  errors,
  type Msg,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import { natsOptions } from './connection';
import { listenerFailed } from './failures';

/** What NATS takes in one message unless it is told otherwise. */
const defaultLimit = 1024 * 1024;

interface Outgoing {
  readonly subject: string;
  readonly text: string;
  readonly reply: string | undefined;
}

interface PendingReply {
  readonly subject: string;
  answered(message: Msg): void;
  failed(error: Error): void;
}

/**
 * A connection to NATS of which a process needs one. What is sent in one turn of the loop is written together, since a
 * write to the socket costs more than all the rest of a message; and who asks costs no subscription, no error and no
 * signal of its own, which the client's own request does.
 */
export class Link {
  private outgoing: Outgoing[] = [];
  private readonly waiting = new Map<string, PendingReply>();
  private readonly inbox: string;
  private asked = 0;
  /** Why no answer can come here, where the server does not permit it. */
  private deaf: Error | undefined;

  private constructor(
    readonly connection: NatsConnection,
    inboxPrefix: string | undefined,
  ) {
    this.inbox = `${createInbox(inboxPrefix)}.`;
    this.subscribe(`${this.inbox}*`, 'answers', (message) =>
      this.waiting.get(message.subject.slice(this.inbox.length))?.answered(message),
    );
    void this.watch();
  }

  /** Connects to the servers of `NATS_URL`, or to others where a URL is given. */
  static async open(url: string | undefined, name: string): Promise<Link> {
    const options = natsOptions(name, url);
    return new Link(await connect(options), options.inboxPrefix);
  }

  /** The bytes that one message may have. */
  get limit(): number {
    return this.connection.info?.max_payload ?? defaultLimit;
  }

  /** True when the server takes it as one message. */
  takes(text: string): boolean {
    // No character has more than three bytes for each of its units: most need not be measured.
    return text.length * 3 <= this.limit || Buffer.byteLength(text) <= this.limit;
  }

  /** Sends it at the end of this turn of the loop. What is larger than `takes` allows is lost. */
  publish(subject: string, text: string, reply?: string): void {
    this.outgoing.push({ subject, text, reply });
    if (this.outgoing.length === 1) setImmediate(() => this.send());
  }

  /**
   * Sends it and waits for one answer. Throws a `TimeoutError` of the client after so many milliseconds, its
   * `NoRespondersError` when nobody listens, or what `begun` is given ends it with.
   */
  ask(
    subject: string,
    text: string,
    timeoutMs: number,
    begun: (end: (error: Error) => void) => void,
  ): Promise<string> {
    const refusal = this.connection.isClosed() ? new errors.ClosedConnectionError() : this.deaf;
    if (refusal) return Promise.reject(refusal);
    if (!this.takes(text))
      return Promise.reject(new errors.InvalidArgumentError('max_payload size exceeded'));
    const id = (this.asked += 1).toString(36);
    return new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        clearTimeout(timer);
        if (this.waiting.delete(id)) reject(error);
      };
      const timer = setTimeout(() => failed(new errors.TimeoutError()), timeoutMs);
      const answered = (message: Msg): void => {
        if (message.data.length === 0 && message.headers?.code === 503)
          return failed(new errors.NoRespondersError(subject));
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(textOf(message));
      };
      this.waiting.set(id, { subject, answered, failed });
      begun(failed);
      this.publish(subject, text, this.inbox + id);
    });
  }

  /**
   * Calls back for each message, in the order in which they come. A listener that throws is told and counted under the
   * name: out of here its error would end the client's reader, and with it all that this process hears.
   */
  subscribe(subject: string, name: string, listener: (message: Msg) => void, queue?: string): Subscription {
    return this.connection.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, message) => {
        if (error) return;
        try {
          listener(message);
        } catch (failure) {
          listenerFailed(name, failure);
        }
      },
    });
  }

  /** Until the server has seen all that was sent before. */
  async flush(): Promise<void> {
    this.send();
    await this.connection.flush();
  }

  /** True while the server answers. */
  async alive(): Promise<boolean> {
    this.send();
    try {
      return (await this.connection.rtt()) >= 0;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.send();
    await this.connection.drain().catch(() => this.connection.close());
  }

  private send(): void {
    const { outgoing } = this;
    this.outgoing = [];
    if (this.connection.isClosed()) return;
    for (const { subject, text, reply } of outgoing) {
      try {
        this.connection.publish(subject, text, reply === undefined ? undefined : { reply });
      } catch (error) {
        // It closes at this moment. A signal may be lost; who waits for an answer is told.
        if (reply?.startsWith(this.inbox))
          this.waiting.get(reply.slice(this.inbox.length))?.failed(error as Error);
      }
    }
  }

  /** What the server permits nobody to ask, or to hear, would be waited for until its deadline. */
  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof errors.PermissionViolationError)) continue;
      const { error } = status;
      const isInbox = error.subject === `${this.inbox}*`;
      if (isInbox) this.deaf = error;
      this.end(error, ({ subject }) => isInbox || subject === error.subject);
    }
    this.end(new errors.ClosedConnectionError(), () => true);
  }

  private end(error: Error, which: (each: PendingReply) => boolean): void {
    for (const each of [...this.waiting.values()]) if (which(each)) each.failed(error);
  }
}

/** What a message says. */
export const textOf = ({ data }: Msg): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
