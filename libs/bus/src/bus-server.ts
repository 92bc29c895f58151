import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerText } from './answers';
import type { Bus } from './bus';
import { serviceIsBack } from './connection';
import { textOf } from './link';

/** The time for messages that are on their way when the subscriptions end. */
const graceMs = 50;
/** The maximum time for running requests: longer than any request waits for its outcome, ten seconds. */
const drainMs = 12_000;

/**
 * Dispatches requests on the bus to the handlers of a Nest microservice, in the queue group of its name. Uses the wire
 * format of Nest's own NATS transport, but without its streams and route lookup for each message, and over the existing
 * connection of the process.
 */
export class BusServer extends Server implements CustomTransportStrategy {
  private subscriptions: Subscription[] = [];
  private readonly running = new Set<Promise<void>>();

  /** `tooLarge` is called with the size of an answer above the maximum message size. */
  constructor(
    private readonly bus: Bus,
    private readonly name: string,
    private readonly tooLarge: (bytes: number, limit: number) => void = () => {},
  ) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    this.serve().then(() => callback(), callback);
  }

  /** Accepts no new requests and finishes the running ones: their callers wait, and no other replica can answer. */
  async close(): Promise<void> {
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    this.subscriptions = [];
    await sleep(graceMs);
    await Promise.race([Promise.all(this.running), sleep(drainMs, undefined, { ref: false })]);
  }

  on(): void {
    // Connection events are available from the bus.
  }

  unwrap<T = NatsConnection>(): T {
    return this.bus.link.connection as T;
  }

  private async serve(): Promise<void> {
    for (const [subject, handler] of this.messageHandlers)
      this.subscriptions.push(
        this.bus.link.subscribe(subject, subject, (message) => this.take(handler, message), this.name),
      );
    void this.tellWhenBack();
    // Until the server has processed the subscriptions, a request would find no responder.
    await this.bus.link.flush();
  }

  private take(handler: (data: unknown) => unknown, message: Msg): void {
    const answering = this.answer(handler, message).finally(() => this.running.delete(answering));
    this.running.add(answering);
  }

  private async answer(handler: (data: unknown) => unknown, message: Msg): Promise<void> {
    const { reply } = message;
    if (!reply) return;
    let id: unknown;
    try {
      const packet = JSON.parse(textOf(message)) as { id?: unknown; data?: unknown } | null;
      id = packet?.id;
      if (id === undefined) return;
      const given = await handler(packet?.data);
      const response = isObservable(given) ? await lastValueFrom(given) : given;
      this.bus.link.publish(reply, answerText(this.bus.link, id, response, this.tooLarge));
    } catch (error) {
      if (id === undefined) return;
      this.handleError(error as string);
      this.bus.link.publish(reply, JSON.stringify({ err: 'internal', isDisposed: true, id }));
    }
  }

  /**
   * Signals that the connection broke and is back: requests and answers in between are lost, and callers repeat their
   * requests.
   */
  private async tellWhenBack(): Promise<void> {
    for await (const { type } of this.bus.link.connection.status())
      if (type === 'reconnect' && this.subscriptions.length > 0) this.bus.signal(serviceIsBack, this.name);
  }
}
