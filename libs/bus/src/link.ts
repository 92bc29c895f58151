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

/** The default maximum message size of NATS. */
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
 * The one NATS connection of a process. Messages of one turn of the event loop are written together, since a write to
 * the socket costs more than the rest of a message. Unlike the client's own `request`, a request here needs no
 * subscription, error or signal of its own (ADR 43).
 */
export class Link {
  private outgoing: Outgoing[] = [];
  private readonly waiting = new Map<string, PendingReply>();
  private readonly inbox: string;
  private asked = 0;
  /** Set when the server forbids the subscription for answers: requests fail with this error. */
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

  /** Connects to `url`, by default to the servers of `NATS_URL`. */
  static async open(url: string | undefined, name: string): Promise<Link> {
    const options = natsOptions(name, url);
    return new Link(await connect(options), options.inboxPrefix);
  }

  /** The maximum bytes of one message. */
  get limit(): number {
    return this.connection.info?.max_payload ?? defaultLimit;
  }

  /** True when the text fits in one message. */
  takes(text: string): boolean {
    // A character has at most three bytes per code unit, so that most texts need not be measured.
    return text.length * 3 <= this.limit || Buffer.byteLength(text) <= this.limit;
  }

  /** Sends a message at the end of this turn of the event loop. A text larger than `takes` allows is lost. */
  publish(subject: string, text: string, reply?: string): void {
    this.outgoing.push({ subject, text, reply });
    if (this.outgoing.length === 1) setImmediate(() => this.send());
  }

  /**
   * Sends a request and waits for one answer. Throws the client's `TimeoutError` after `timeoutMs`, its
   * `NoRespondersError` when no service listens, or the error with which `begun` ends it. `begun` may also send
   * repetitions: whichever is answered first counts, but an answer that does not tell what became of the others
   * (`isOpen`), or that no service listens, only when these have ended like that.
   */
  ask(
    subject: string,
    text: string,
    timeoutMs: number,
    begun: (end: (error: Error) => void, repeat: (text: string) => void) => void,
    isOpen: (answer: string, isRepetition: boolean) => boolean,
  ): Promise<string> {
    const refusal = this.connection.isClosed() ? new errors.ClosedConnectionError() : this.deaf;
    if (refusal) return Promise.reject(refusal);
    if (!this.takes(text))
      return Promise.reject(new errors.InvalidArgumentError('max_payload size exceeded'));
    const id = (this.asked += 1).toString(36);
    const again = `${id}-`;
    return new Promise((resolve, reject) => {
      const failed = (error: Error): void => {
        clearTimeout(timer);
        this.waiting.delete(again);
        if (this.waiting.delete(id)) reject(error);
      };
      const timer = setTimeout(() => failed(new errors.TimeoutError()), timeoutMs);
      let open = 1;
      const answered = (message: Msg, isRepetition = false): void => {
        const isUnheard = message.data.length === 0 && message.headers?.code === 503;
        const answer = textOf(message);
        if (open > 1 && (isUnheard || isOpen(answer, isRepetition))) return void (open -= 1);
        if (isUnheard) return failed(new errors.NoRespondersError(subject));
        clearTimeout(timer);
        this.waiting.delete(again);
        this.waiting.delete(id);
        resolve(answer);
      };
      this.waiting.set(id, { subject, answered, failed });
      begun(failed, (repetition) => {
        open += 1;
        this.waiting.set(again, { subject, answered: (message) => answered(message, true), failed });
        this.publish(subject, repetition, this.inbox + again);
      });
      this.publish(subject, text, this.inbox + id);
    });
  }

  /**
   * Calls back for each message, in order of arrival. An error of the listener is reported and counted under `name`:
   * if it escaped, it would end the client's reader and with it all subscriptions of this process.
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

  /** Resolves when the server has processed everything that was sent before. */
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
        // The connection is closing. A signal may be lost; a pending request fails.
        if (reply?.startsWith(this.inbox))
          this.waiting.get(reply.slice(this.inbox.length))?.failed(error as Error);
      }
    }
  }

  /** Fails requests that the server forbids, or whose answers it forbids: they would wait until their deadline. */
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

/** The text of a message. */
export const textOf = ({ data }: Msg): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString();
