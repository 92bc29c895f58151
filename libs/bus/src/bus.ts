import type { KeyObject } from 'node:crypto';
import { isPassing, Refused } from '@carillon/eventing';
import type { Contract } from '@carillon/contracts';
import { busSeconds, secondsSince } from '@carillon/metrics';
import { beginSpan, within } from '@carillon/tracing';
import { errors, type Msg } from '@nats-io/transport-node';
import { serviceIsBack } from './connection';
import { type AnswerText, tooLarge, valueText } from './answers';
import type { Answer, Context, Wire } from './envelope';
import { Link, textOf } from './link';
import { callerKeys, isSealed, sealOf } from './seal';
import { asking, faultOf } from './steps';

/** Nobody listens to the subject: the service is down. Refused as `bus.no_responders`. */
const noResponders = 'bus.no_responders';
/** No answer before the deadline. Refused as `bus.timeout`: what was asked may have happened. */
export const timedOut = 'bus.timeout';

/** How long a service that answered may be out of hearing, while it or its server starts anew. */
const goneAfterMs = 10_000;
const maxRetryMs = 3_000;
const pauseMs = 100;
/** Servers with NATS's own settings may take so long to notice that one of them is frozen. */
const unsettledMs = 120_000;
/** For so long an answer is awaited meanwhile before the same is asked again. */
const patienceMs = 500;
const lookEveryMs = 200;

/** The connection broke while an answer was awaited, ours or that of who was asked. */
class Interrupted extends Error {}

/** What waits for an answer. `service` is empty where it cannot be asked again. */
interface PendingAsk {
  readonly service: string;
  /** By this process's own time. */
  readonly since: number;
  end(error: Error): void;
}

/** Pauses between tries, for as long as it is worth trying. */
class Retries {
  private readonly end: number;

  constructor(
    private readonly deadline: number,
    maxMs: number,
  ) {
    this.end = performance.now() + maxMs;
  }

  /** False when it is over. */
  async pause(): Promise<boolean> {
    if (performance.now() > this.end || Date.now() + pauseMs >= this.deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  }
}

/** `rpc.<service>.<noun>.<verb>` */
const serviceOf = (subject: string): string => subject.split('.')[1] ?? '';

/** Asks services over core NATS, in the wire form of `@nestjs/microservices`, and carries lossy signals. */
export class Bus {
  /** What waits for an answer; called when that may have been lost. */
  private readonly waiting = new Set<PendingAsk>();
  /** When each service was last heard of, by this process's own time. */
  private readonly heardOf = new Map<string, number>();
  private backAt = -Infinity;
  private away: { readonly back: Promise<void>; end(): void } | undefined;
  private unsettledUntil = -Infinity;
  private looking: NodeJS.Timeout | undefined;

  private constructor(
    /** The connection, which the services of the process answer over as well. */
    readonly link: Link,
    private readonly key: KeyObject,
  ) {
    void this.watch();
    this.onSignal(serviceIsBack, (service) => this.interrupt(service));
  }

  /** Connects to the servers of `NATS_URL`, or to others where a URL is given. */
  static async open(url: string | undefined, name: string): Promise<Bus> {
    const [key] = callerKeys();
    return new Bus(await Link.open(url, name), key as KeyObject);
  }

  /**
   * Asks and waits. A refusal of the other side is thrown here as the same `Refused`. Where the connection breaks, ours
   * or that of the service, the same is asked again as soon as it is back, if the contract allows that; else the answer
   * is that it may have happened (`bus.timeout`).
   */
  async ask<Input, Output>(
    contract: Contract<Input, Output>,
    input: Input,
    context: Context,
  ): Promise<Answer<Output>> {
    return this.answered(contract, input, context, (text) => read<Output>(contract.subject, text));
  }

  /** As `ask`, but the value stays the JSON text that the service has written, for who only passes it on. */
  async askText<Input>(
    contract: Contract<Input, unknown>,
    input: Input,
    context: Context,
  ): Promise<AnswerText> {
    return this.answered(contract, input, context, (text) => {
      const passed = valueText(text, context.commandId);
      if (passed) return passed;
      const { value, ...rest } = read(contract.subject, text);
      return { ...rest, text: JSON.stringify(value) };
    });
  }

  private async answered<Input, Given>(
    contract: Contract<Input, unknown>,
    input: Input,
    context: Context,
    take: (text: string) => Given,
  ): Promise<Given> {
    const began = performance.now();
    const span = beginSpan(context.traceparent, () => asking(contract.subject));
    let outcome = 'failed';
    try {
      const answer = await this.answerTo(contract, input, within(span, context), take);
      outcome = 'answered';
      return answer;
    } catch (error) {
      if (error instanceof Refused) outcome = isPassing(error) ? 'unavailable' : 'refused';
      throw error;
    } finally {
      busSeconds.observe({ service: serviceOf(contract.subject), outcome }, secondsSince(began));
      span?.end({ 'carillon.outcome': outcome }, faultOf(outcome));
    }
  }

  private async answerTo<Input, Given>(
    contract: Contract<Input, unknown>,
    input: Input,
    context: Context,
    take: (text: string) => Given,
  ): Promise<Given> {
    const { subject } = contract;
    const { deadline, commandId } = context;
    if (deadline <= Date.now()) throw new Refused(timedOut, { subject });
    const repeatable =
      contract.repeat === 'always' || (contract.repeat === 'with_key' && !!context.idempotency);
    const data = this.sealedData(subject, input, context);
    let retries = new Retries(deadline, maxRetryMs);
    let mayHaveHappened = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        if (this.away) await this.untilBack(subject, deadline);
        const again = attempt > 1 ? ',"again":true' : '';
        const packet = `{"pattern":"${subject}","id":${JSON.stringify(commandId)},"data":{${data}${again}}}`;
        return take(await this.once(subject, packet, deadline, repeatable));
      } catch (error) {
        if (error instanceof Interrupted && repeatable) {
          mayHaveHappened = true;
          // Only another answer settles what became of it: that is worth waiting for, up to the deadline.
          retries = new Retries(deadline, Infinity);
          continue;
        }
        if (error instanceof Interrupted) throw new Refused(timedOut, { subject });
        const nobody = error instanceof Refused && error.reason === noResponders;
        // Nothing was begun. Who answered a moment ago is changing servers, or being started anew.
        const isExpected = mayHaveHappened || this.justHeardOf(serviceOf(subject));
        if (nobody && isExpected && (await retries.pause())) continue;
        // This time nothing was begun, but an earlier time may have been done.
        throw mayHaveHappened && isPassing(error) ? new Refused(timedOut, { subject }) : error;
      }
    }
  }

  /** Sends it and waits for the answer, or until that may have been lost on the way: then throws `Interrupted`. */
  private async once(
    subject: string,
    packet: string,
    deadline: number,
    repeatable: boolean,
  ): Promise<string> {
    const service = serviceOf(subject);
    let mine: PendingAsk | undefined;
    try {
      const text = await this.link.ask(subject, packet, Math.max(1, deadline - Date.now()), (end) => {
        mine = { service: repeatable ? service : '', since: performance.now(), end };
        this.waiting.add(mine);
      });
      this.heardOf.set(service, performance.now());
      return text;
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      if (error instanceof errors.InvalidArgumentError) throw new Refused(tooLarge, { subject });
      if (error instanceof errors.TimeoutError) throw new Refused(timedOut, { subject });
      if (error instanceof errors.NoRespondersError || error instanceof errors.PermissionViolationError)
        throw new Refused(noResponders, { subject });
      throw new Refused('bus.unavailable', { subject, cause: String(error) });
    } finally {
      if (mine) this.waiting.delete(mine);
    }
  }

  /** The members of an `Ask`. What is sealed is written once, and sent as it was sealed. */
  private sealedData(subject: string, input: unknown, context: Context): string {
    const [who, what] = [JSON.stringify(context), JSON.stringify(input) ?? 'null'];
    return `"context":${who},"input":${what},"seal":"${sealOf(this.key, subject, who, what)}"`;
  }

  /** What would be sent while the connection is away would be lost: nothing is asked until it is back. */
  private async untilBack(subject: string, deadline: number): Promise<void> {
    while (this.away) {
      const left = deadline - Date.now();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, Math.max(0, left))));
      await Promise.race([this.away.back, late]);
      clearTimeout(timer);
      if (this.away && deadline <= Date.now()) throw new Refused('bus.unavailable', { subject });
    }
    if (deadline <= Date.now()) throw new Refused(timedOut, { subject });
  }

  /** A service that answered a moment ago, or that could not while the connection was away, is only out of the space. */
  private justHeardOf(service: string): boolean {
    const last = Math.max(this.heardOf.get(service) ?? -Infinity, this.backAt);
    return performance.now() - last < goneAfterMs;
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.link.connection.status()) {
      if (type === 'disconnect' && !this.away) {
        let end = (): void => {};
        const back = new Promise<void>((resolve) => (end = resolve));
        this.away = { back, end };
      } else if (type === 'reconnect') {
        this.backAt = performance.now();
        this.away?.end();
        this.away = undefined;
        this.interrupt();
      }
    }
    // Closed for good: nobody waits for a connection any more.
    this.away?.end();
    this.away = undefined;
  }

  /** What waits may wait for an answer that is lost: everything, or what can be asked again of this service. */
  private interrupt(service?: string): void {
    this.end((each) => service === undefined || each.service === service);
    this.unsettledUntil = performance.now() + unsettledMs;
    this.looking ??= setInterval(() => this.look(), lookEveryMs).unref();
  }

  /**
   * Between servers a message may go towards one that is frozen until the others notice: what can be asked again is, as
   * long as that may be so.
   */
  private look(): void {
    const now = performance.now();
    this.end(({ service, since }) => service !== '' && now - since > patienceMs);
    if (now < this.unsettledUntil) return;
    clearInterval(this.looking);
    this.looking = undefined;
  }

  private end(which: (each: PendingAsk) => boolean): void {
    for (const each of [...this.waiting]) if (which(each)) each.end(new Interrupted());
  }

  /** Wakes whoever waits for `topic` and `id`. Lossy: the listener must be able to do without. */
  signal(topic: string, id: string, data: unknown = {}): void {
    const subject = `sig.${topic}.${id}`;
    const text = JSON.stringify(data);
    this.link.publish(subject, `{"data":${text},"seal":"${sealOf(this.key, subject, '', text)}"}`);
  }

  /** Calls back for every signal of the topic, whatever its id, until the returned function is called. */
  onSignal<Data>(topic: string, listener: (id: string, data: Data) => void): () => void {
    return this.hear(topic, '*', listener);
  }

  /** Calls back for the signals of one id, so that those of all others never come here. */
  onSignalOf<Data>(topic: string, id: string, listener: (data: Data) => void): () => void {
    return this.hear<Data>(topic, id, (_, data) => listener(data));
  }

  private hear<Data>(topic: string, ids: string, listener: (id: string, data: Data) => void): () => void {
    const prefix = `sig.${topic}.`;
    const subscription = this.link.subscribe(prefix + ids, prefix + '*', (message) =>
      listener(message.subject.slice(prefix.length), dataOf<Data>(message)),
    );
    return () => subscription.unsubscribe();
  }

  /** True while the server answers. */
  alive(): Promise<boolean> {
    return this.link.alive();
  }

  /** The server's version, such as `2.9.10`. */
  get serverVersion(): string {
    return this.link.connection.info?.version ?? '';
  }

  async close(): Promise<void> {
    await this.link.close();
  }
}

/** What a signal brings. Throws where nobody with the key has sent it. */
function dataOf<Data>(message: Msg): Data {
  const { data, seal } = JSON.parse(textOf(message)) as { data: Data; seal: unknown };
  if (!isSealed(callerKeys(), message.subject, { context: undefined, input: data, seal }))
    throw new Error('A signal was not sealed with CARILLON_CALLER_KEY');
  return data;
}

/** Throws a refusal as the other side threw it. */
function read<Output>(subject: string, text: string): Answer<Output> {
  let reply: Wire<Output> | undefined;
  try {
    reply = (JSON.parse(text) as { response?: Wire<Output> }).response;
  } catch {
    // Not an answer of ours.
  }
  if (reply === undefined || reply === null) throw new Refused('bus.failed', { subject });
  if ('refused' in reply) throw new Refused(reply.refused, reply.details);
  return reply;
}
