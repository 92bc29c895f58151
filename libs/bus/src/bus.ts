import type { KeyObject } from 'node:crypto';
import { Refused } from '@carillon/eventing';
import type { Contract } from '@carillon/contracts';
import { connect, errors, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { natsOptions } from './connection';
import { tooLarge } from './answers';
import type { Answer, Context, Wire } from './envelope';
import { callerKeys, sealOf } from './seal';

/** Nobody listens to the subject: the service is down. Refused as `bus.no_responders`. */
export const noResponders = 'bus.no_responders';
/** No answer before the deadline. Refused as `bus.timeout`: what was asked may have happened. */
export const timedOut = 'bus.timeout';

/**
 * Asks services over core NATS and carries lossy signals. One connection a process is enough.
 * Speaks the wire form of `@nestjs/microservices`, but takes one shared inbox for all answers where its client makes a
 * subscription for each request (that costs a third of the rate).
 */
export class Bus {
  private constructor(
    private readonly connection: NatsConnection,
    private readonly key: KeyObject,
  ) {}

  /** Connects to the servers of `NATS_URL`, or to others where a URL is given. */
  static async open(url: string | undefined, name: string): Promise<Bus> {
    const [key] = callerKeys();
    return new Bus(await connect(natsOptions(name, url)), key as KeyObject);
  }

  /** Asks and waits. A refusal of the other side is thrown here as the same `Refused`. */
  async ask<Input, Output>(
    contract: Contract<Input, Output>,
    input: Input,
    context: Context,
  ): Promise<Answer<Output>> {
    const timeout = context.deadline - Date.now();
    if (timeout <= 0) throw new Refused(timedOut, { subject: contract.subject });
    const request = this.request(contract.subject, input, context);
    let reply: Wire<Output>;
    try {
      const message = await this.connection.request(contract.subject, request, { timeout });
      const packet = message.json<{ response?: Wire<Output>; err?: unknown }>();
      if (packet.response === undefined) throw new Refused('bus.failed', { subject: contract.subject });
      reply = packet.response;
    } catch (error) {
      if (error instanceof Refused) throw error;
      if (error instanceof errors.InvalidArgumentError)
        throw new Refused(tooLarge, { subject: contract.subject });
      if (error instanceof errors.TimeoutError) throw new Refused(timedOut, { subject: contract.subject });
      if (error instanceof errors.RequestError || error instanceof errors.NoRespondersError)
        throw new Refused(noResponders, { subject: contract.subject });
      throw new Refused('bus.unavailable', { subject: contract.subject, cause: String(error) });
    }
    if ('refused' in reply) throw new Refused(reply.refused, reply.details);
    return reply;
  }

  /** Nest's packet with an `Ask` as its data. What is sealed is written once, and sent as it was sealed. */
  private request(subject: string, input: unknown, context: Context): string {
    const [who, what] = [JSON.stringify(context), JSON.stringify(input) ?? 'null'];
    const seal = sealOf(this.key, subject, who, what);
    const data = `{"context":${who},"input":${what},"seal":"${seal}"}`;
    return `{"pattern":"${subject}","id":${JSON.stringify(context.commandId)},"data":${data}}`;
  }

  /** Wakes whoever waits for `topic` and `id`. Lossy: the listener must be able to do without. */
  signal(topic: string, id: string, data: unknown = {}): void {
    if (!this.connection.isClosed()) this.connection.publish(`sig.${topic}.${id}`, JSON.stringify(data));
  }

  /** Calls back for every signal of the topic, whatever its id, until the returned function is called. */
  onSignal<Data>(topic: string, listener: (id: string, data: Data) => void): () => void {
    const prefix = `sig.${topic}.`;
    const subscription: Subscription = this.connection.subscribe(`${prefix}*`, {
      callback: (error, message) => {
        if (!error) listener(message.subject.slice(prefix.length), message.json<Data>());
      },
    });
    return () => subscription.unsubscribe();
  }

  /** Calls back for the signals of one id, so that those of all others never come here. */
  onSignalOf<Data>(topic: string, id: string, listener: (data: Data) => void): () => void {
    const subscription: Subscription = this.connection.subscribe(`sig.${topic}.${id}`, {
      callback: (error, message) => {
        if (!error) listener(message.json<Data>());
      },
    });
    return () => subscription.unsubscribe();
  }

  /** True while the server answers. */
  async alive(): Promise<boolean> {
    try {
      return (await this.connection.rtt()) >= 0;
    } catch {
      return false;
    }
  }

  /** The server's version, such as `2.9.10`. */
  get serverVersion(): string {
    return this.connection.info?.version ?? '';
  }

  async close(): Promise<void> {
    await this.connection.drain().catch(() => this.connection.close());
  }
}
