import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { type CustomTransportStrategy, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerText } from './answers';
import type { Bus } from './bus';
import { serviceIsBack } from './connection';
import { textOf } from './link';

/** What the server has on its way to here when the subscriptions end. */
const graceMs = 50;
/** What is in hand then may take so long: longer than any question waits for what follows from it, ten seconds. */
const drainMs = 12_000;

/**
 * Gives what is asked on the bus to the handlers of a Nest microservice, in the queue group of its name. In the wire form
 * of Nest's own NATS transport, but without the streams and the search for the route that it has for every message, and
 * over the connection that the process has already.
 */
export class BusServer extends Server implements CustomTransportStrategy {
  private subscriptions: Subscription[] = [];
  private readonly leased = new Set<Promise<void>>();

  /** `tooLarge` is called with the size of an answer that NATS does not take. */
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

  /** Takes nothing new, and ends what it has begun: who asked waits for it, and nobody else can answer. */
  async close(): Promise<void> {
    for (const subscription of this.subscriptions) subscription.unsubscribe();
    this.subscriptions = [];
    await sleep(graceMs);
    await Promise.race([Promise.all(this.leased), sleep(drainMs, undefined, { ref: false })]);
  }

  on(): void {
    // Whoever wants to hear of the connection asks the bus.
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
    // Until the server has seen the subscriptions, the first request would find nobody.
    await this.bus.link.flush();
  }

  private take(handler: (data: unknown) => unknown, message: Msg): void {
    const answering = this.answer(handler, message).finally(() => this.leased.delete(answering));
    this.leased.add(answering);
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
   * Tells everybody when the connection broke and is back: what was asked meanwhile is lost, and so are the answers; who
   * waits for one asks again.
   */
  private async tellWhenBack(): Promise<void> {
    for await (const { type } of this.bus.link.connection.status())
      if (type === 'reconnect' && this.subscriptions.length > 0) this.bus.signal(serviceIsBack, this.name);
  }
}
