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

/** No service listens to the subject: the service is down. Refused as `bus.no_responders`. */
const noResponders = 'bus.no_responders';
/** No answer before the deadline. Refused as `bus.timeout`: the request may have been executed. */
export const timedOut = 'bus.timeout';

/** How long a service that has answered may be unreachable while it or its NATS server restarts. */
const goneAfterMs = 10_000;
const maxRetryMs = 3_000;
const pauseMs = 100;
/** The time that NATS servers with default settings may take to notice that one of them is frozen. */
const unsettledMs = 120_000;
/** How often a request without an answer is repeated meanwhile. */
const unsettledPaceMs = 500;
/** And else, as who got it may be cut off: so often before its deadline, and at least every so many milliseconds. */
const sendings = 4;
const paceMs = 2_500;
const lookEveryMs = 200;

/** The connection of this process or of the service broke during a request. */
class Interrupted extends Error {}

/** A pending request. `service` is empty when the request must not be repeated. */
interface PendingAsk {
  readonly service: string;
  /** When it was last sent, by `performance.now()`. */
  sentAt: number;
  /** How long after that it is sent again. */
  readonly paceMs: number;
  end(error: Error): void;
  repeat(): void;
}

/** Pauses between attempts, until the deadline or a maximum. */
class Retries {
  private readonly end: number;

  constructor(
    private readonly deadline: number,
    maxMs: number,
  ) {
    this.end = performance.now() + maxMs;
  }

  /** Pauses; false when no time is left for another attempt. */
  async pause(): Promise<boolean> {
    if (performance.now() > this.end || Date.now() + pauseMs >= this.deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return true;
  }
}

/** `rpc.<service>.<noun>.<verb>` */
const serviceOf = (subject: string): string => subject.split('.')[1] ?? '';

/**
 * Sends requests to services over core NATS, in the wire format of `@nestjs/microservices`, and lossy signals (ADR 7).
 */
export class Bus {
  /** The pending requests; `end` is called when an answer may have been lost. */
  private readonly waiting = new Set<PendingAsk>();
  /** When each service last answered, by `performance.now()`. */
  private readonly heardOf = new Map<string, number>();
  private backAt = -Infinity;
  private away: { readonly back: Promise<void>; end(): void } | undefined;
  private unsettledUntil = -Infinity;
  private looking: NodeJS.Timeout | undefined;

  private constructor(
    /** The connection; the services of this process answer over it too. */
    readonly link: Link,
    private readonly key: KeyObject,
  ) {
    void this.watch();
    this.onSignal(serviceIsBack, (service) => this.interrupt(service));
  }

  /** Connects to `url`, by default to the servers of `NATS_URL`. */
  static async open(url: string | undefined, name: string): Promise<Bus> {
    const [key] = callerKeys();
    return new Bus(await Link.open(url, name), key as KeyObject);
  }

  /**
   * Sends a request and waits for the answer. A refusal of the service is thrown as the same `Refused`. If the contract
   * allows that, the request is repeated while it has no answer. Otherwise it is refused as `bus.timeout` when the
   * connection of this process breaks, since it may have been executed.
   */
  async ask<Input, Output>(
    contract: Contract<Input, Output>,
    input: Input,
    context: Context,
  ): Promise<Answer<Output>> {
    return this.answered(contract, input, context, (text) => read<Output>(contract.subject, text));
  }

  /** As `ask`, but the value stays the JSON text that the service wrote, for callers that only pass it on. */
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
        const packet = (isAgain: boolean): string => {
          const again = isAgain ? ',"again":true' : '';
          return `{"pattern":"${subject}","id":${JSON.stringify(commandId)},"data":{${data}${again}}}`;
        };
        const again = repeatable && ((): string => packet(true));
        return take(await this.once(subject, packet(attempt > 1), deadline, again));
      } catch (error) {
        if (error instanceof Interrupted && repeatable) {
          mayHaveHappened = true;
          // Only another answer tells the outcome: it is retried up to the deadline.
          retries = new Retries(deadline, Infinity);
          continue;
        }
        if (error instanceof Interrupted) throw new Refused(timedOut, { subject });
        const nobody = error instanceof Refused && error.reason === noResponders;
        // Nothing was executed. A service that answered a moment ago is changing servers or restarting.
        const isExpected = mayHaveHappened || this.justHeardOf(serviceOf(subject));
        if (nobody && isExpected && (await retries.pause())) continue;
        // This attempt was not executed, but an earlier one may have been.
        throw mayHaveHappened && isPassing(error) ? new Refused(timedOut, { subject }) : error;
      }
    }
  }

  /**
   * Sends a packet, and then its repetition, if there is one, while there is no answer. Throws `Interrupted` when the
   * answer may have been lost.
   */
  private async once(
    subject: string,
    packet: string,
    deadline: number,
    repetition: false | (() => string),
  ): Promise<string> {
    const service = serviceOf(subject);
    let mine: PendingAsk | undefined;
    try {
      const leftMs = Math.max(1, deadline - Date.now());
      const begun: Parameters<Link['ask']>[3] = (end, repeat) => {
        mine = {
          service: repetition ? service : '',
          sentAt: performance.now(),
          paceMs: Math.min(paceMs, leftMs / sendings),
          end,
          repeat: () => repetition && repeat(repetition()),
        };
        this.waiting.add(mine);
        this.looking ??= setInterval(() => this.look(), lookEveryMs).unref();
      };
      const text = await this.link.ask(subject, packet, leftMs, begun, isOpen);
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

  /** The members of an `Ask`. The sealed JSON is serialized once and sent unchanged. */
  private sealedData(subject: string, input: unknown, context: Context): string {
    const [who, what] = [JSON.stringify(context), JSON.stringify(input) ?? 'null'];
    return `"context":${who},"input":${what},"seal":"${sealOf(this.key, subject, who, what)}"`;
  }

  /** Waits until the connection is back: a request sent without one would be lost. */
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

  /**
   * True when the service answered a moment ago or the connection has just come back: its absence is then temporary.
   */
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
    // Closed for good: ends all waits for the connection.
    this.away?.end();
    this.away = undefined;
  }

  /** Ends pending requests whose answer may be lost: all of them, or the repeatable ones to this service. */
  private interrupt(service?: string): void {
    this.end((each) => service === undefined || each.service === service);
    this.unsettledUntil = performance.now() + unsettledMs;
  }

  /**
   * Repeats requests without an answer: whoever got one may be frozen or cut off, or be behind a NATS server that is.
   * NATS may send the repetition to another process; one that has the request already does it once.
   */
  private look(): void {
    if (this.waiting.size === 0) {
      clearInterval(this.looking);
      this.looking = undefined;
    }
    const now = performance.now();
    const mostMs = now < this.unsettledUntil ? unsettledPaceMs : Infinity;
    for (const each of this.waiting) {
      if (each.service === '' || this.away || now - each.sentAt < Math.min(each.paceMs, mostMs)) continue;
      each.sentAt = now;
      each.repeat();
    }
  }

  private end(which: (each: PendingAsk) => boolean): void {
    for (const each of [...this.waiting]) if (which(each)) each.end(new Interrupted());
  }

  /** Signals the listeners of `topic` and `id`. Lossy: listeners must also work without the signal. */
  signal(topic: string, id: string, data: unknown = {}): void {
    const subject = `sig.${topic}.${id}`;
    const text = JSON.stringify(data);
    this.link.publish(subject, `{"data":${text},"seal":"${sealOf(this.key, subject, '', text)}"}`);
  }

  /** Calls back for every signal of the topic, of any id, until the returned function is called. */
  onSignal<Data>(topic: string, listener: (id: string, data: Data) => void): () => void {
    return this.hear(topic, '*', listener);
  }

  /** Calls back for the signals of one id only; signals of other ids do not reach this process. */
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

/** The data of a signal. Throws when it was not sealed with a caller key (ADR 55). */
function dataOf<Data>(message: Msg): Data {
  const { data, seal } = JSON.parse(textOf(message)) as { data: Data; seal: unknown };
  if (!isSealed(callerKeys(), message.subject, { context: undefined, input: data, seal }))
    throw new Error('A signal was not sealed with CARILLON_CALLER_KEY');
  return data;
}

/** Refusals that do not say whether the request was executed. */
const unknown: ReadonlySet<string> = new Set([timedOut, 'store.outcome_unknown']);

/**
 * Whether an answer says nothing of the other messages with the same request: it is a refusal for now, or of the first
 * message, which may have come after a repetition and met what that has made.
 */
function isOpen(text: string, isRepetition: boolean): boolean {
  try {
    read('', text);
    return false;
  } catch (error) {
    const isUnknown = error instanceof Refused && unknown.has(error.reason);
    return !isUnknown && (!isRepetition || isPassing(error));
  }
}

/** Reads an answer; throws a refusal as the service threw it. */
function read<Output>(subject: string, text: string): Answer<Output> {
  let reply: Wire<Output> | undefined;
  try {
    reply = (JSON.parse(text) as { response?: Wire<Output> }).response;
  } catch {
    // Not an answer of a Carillon service.
  }
  if (reply === undefined || reply === null) throw new Refused('bus.failed', { subject });
  if ('refused' in reply) throw new Refused(reply.refused, reply.details);
  return reply;
}
