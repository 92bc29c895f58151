import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Bus } from '@carillon/bus';
import { AccountChanges, Accounts, accountSuspended, type Changes } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Clock, logger } from '@carillon/runtime';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ApiError } from '../errors/api-error';
import { invalidAmong } from '../access/invalid';
import { contextOf, systemContext } from '../request/context';
import { Capacity } from '../rate/capacity';
import type { EdgeRequest } from '../request/row';
import { Positions } from '../request/positions';
import { traceOf } from '../trace/trace';
import { changed, heartbeat, opening, reached, reset } from './frames';
import { SseWriter } from './sse-writer';
import { type Watch, Watches } from './watches';

const maxOfAccount = 10;
const heartbeatMs = 15_000;
/** The end of a session ends its streams within this time: all are asked about together. */
const sessionCheckMs = 30_000;
/** An idle stream gets the newest position at this interval, so that its client does not get a reset on reconnect. */
const idleMs = 5 * 60_000;
const againMs = 1_000;
const timeoutMs = 10_000;
const lastWordsMs = 2_000;
const positionForm = /^[0-9]{1,19}$/;

const log = logger('gateway');

/** The client of a stream, as the access guard has identified it. */
interface Listener {
  readonly request: EdgeRequest;
  readonly accountId: string;
  readonly sessionHash: string;
}

/** The open streams of this gateway. */
@Injectable()
export class Streams implements BeforeApplicationShutdown, OnModuleInit, OnModuleDestroy {
  private closing = false;
  private readonly open = new Map<string, number>();

  /** How many streams are open. */
  get size(): number {
    return [...this.open.values()].reduce((sum, count) => sum + count, 0);
  }

  private readonly running = new Map<Promise<void>, AbortController>();
  private readonly asking = new Map<string, Promise<Changes>>();
  /** The clients of open streams, each with what ends its stream. */
  private readonly listeners = new Map<Listener, AbortController>();
  private checking: NodeJS.Timeout | undefined;
  private stopListening: () => void = () => {};

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Watches) private readonly watches: Watches,
    @Inject(Positions) private readonly positions: Positions,
    @Inject(Capacity) private readonly capacity: Capacity,
  ) {
    // When a manual clock advances, the streams of sessions that have expired end before the call returns.
    clock.onAdvance(() => this.checkSessions());
  }

  onModuleInit(): void {
    this.checking = setInterval(() => void this.checkSessions(), sessionCheckMs).unref();
    this.stopListening = this.bus.onSignal(accountSuspended, (accountId) => {
      for (const listener of this.listeners.keys())
        if (listener.accountId === accountId) void this.checkSession(listener);
    });
  }

  onModuleDestroy(): void {
    clearInterval(this.checking);
    this.stopListening();
  }

  /** Ends all streams; their clients reconnect to another gateway or to the next process of this one. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    for (const over of this.running.values()) over.abort();
    await Promise.all(this.running.keys());
  }

  /** Resolves when the stream is over. Throws only before its first byte. */
  async serve(request: EdgeRequest): Promise<void> {
    const { session, sessionHash } = request;
    if (!session || !sessionHash) throw new Error('A stream was asked for without a session');
    const { accountId } = session;
    if (this.closing) throw new Refused('bus.unavailable');
    const count = this.open.get(accountId) ?? 0;
    if (count >= maxOfAccount) throw tooManyStreams();
    const release = this.capacity.take(request.reply);
    this.open.set(accountId, count + 1);
    const over = new AbortController();
    const serving = this.run({ request, accountId, sessionHash }, over).finally(() => {
      release();
      const left = (this.open.get(accountId) ?? 1) - 1;
      if (left > 0) this.open.set(accountId, left);
      else this.open.delete(accountId);
    });
    const settled = serving.catch(() => {}).finally(() => this.running.delete(settled));
    this.running.set(settled, over);
    await serving;
  }

  private async run(listener: Listener, over: AbortController): Promise<void> {
    const { reply, http, requestId } = listener.request;
    const response = reply.raw;
    response.once('close', () => over.abort());
    // When the client left while the access guard was still checking, `close` has already fired.
    if (response.destroyed) over.abort();
    // The stream first subscribes, then reads, so that it misses no change.
    const watch = this.watches.open(listener.accountId);
    let beating: NodeJS.Timeout | undefined;
    try {
      const brought = http.headers['last-event-id'];
      const first = await this.since(listener, brought === undefined ? undefined : String(brought));
      if (over.signal.aborted) throw new Refused('bus.unavailable');
      begin(listener.request);
      const writer = new SseWriter(response, over.signal);
      beating = setInterval(() => writer.mention(heartbeat), heartbeatMs);
      this.listeners.set(listener, over);
      const from = first.changes.length > 0 ? String(brought) : first.position;
      await writer.write(opening(from));
      await this.follow(listener, { from, first }, watch, writer, over.signal);
    } catch (error) {
      if (!reply.sent) throw error;
      log.error(
        { err: error, requestId, traceparent: traceOf(http) },
        'An event stream failed: the client reconnects',
      );
    } finally {
      clearInterval(beating);
      this.listeners.delete(listener);
      watch.close();
      over.abort();
      if (reply.sent) finish(response);
    }
  }

  /** Writes changes until the stream is over. */
  private async follow(
    listener: Listener,
    { from, first }: { from: string; first: Changes },
    watch: Watch,
    writer: SseWriter,
    over: AbortSignal,
  ): Promise<void> {
    for (let page = first, at = from; !over.aborted;) {
      const { changes, position } = page;
      const told = page.reset ? [reset(position)] : changes.map(changed);
      const newest = changes.at(-1)?.position;
      // A client that reads a changed resource at this gateway must get nothing older than the change.
      if (newest !== undefined) this.positions.advance(listener.accountId, newest);
      if (!page.reset && position !== (newest ?? at)) told.push(reached(position));
      at = position;
      if (told.length > 0) await writer.write(told.join(''));
      await watch.changed(position, idleMs, over);
      page = await this.again(listener, page, over);
      // The stream woke for a change that its client may not see: it pauses before the next read.
      if (page.changes.length === 0 && !page.reset) await pauseBeforeRetry(over);
    }
  }

  /** The next page; retries while changes cannot be read, and returns an empty page when the stream is over. */
  private async again(listener: Listener, { position }: Changes, over: AbortSignal): Promise<Changes> {
    const nothing: Changes = { changes: [], position, reset: false };
    while (!over.aborted) {
      try {
        return await this.since(listener, position);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        await pauseBeforeRetry(over);
      }
    }
    return nothing;
  }

  /** Streams of one account that woke together at the same position share one read. */
  private async since({ request, accountId }: Listener, after: string | undefined): Promise<Changes> {
    // A text that is too long for an id is no id of ours; it is answered like any unknown id.
    const from = after === undefined || positionForm.test(after) ? after : 'unknown';
    const key = `${accountId} ${from}`;
    const same = this.asking.get(key);
    if (same) return same;
    const asking = this.bus
      .ask(AccountChanges.since, from === undefined ? {} : { after: from }, contextOf(request, timeoutMs))
      .then(({ value }) => value)
      .finally(() => this.asking.delete(key));
    this.asking.set(key, asking);
    return asking;
  }

  /** Ends the streams of sessions that are no longer valid. While accounts is unavailable, a session stays valid. */
  private async checkSessions(): Promise<void> {
    const open = [...this.listeners.keys()];
    const hashes = await invalidAmong(
      open.map(({ sessionHash }) => sessionHash),
      async (asked) => {
        const context = systemContext('gateway.streams', timeoutMs);
        return (await this.bus.ask(Accounts.validSessions, { hashes: asked }, context)).value.valid;
      },
    );
    const invalid = new Set(hashes);
    await Promise.all(
      open.filter(({ sessionHash }) => invalid.has(sessionHash)).map((each) => this.checkSession(each)),
    );
  }

  private async checkSession(listener: Listener): Promise<void> {
    const { sessionHash: hash } = listener;
    try {
      await this.bus.ask(Accounts.identifySession, { hash }, systemContext('gateway.streams', timeoutMs));
    } catch (error) {
      if (error instanceof Refused && /^(session|account)\./.test(error.reason))
        this.listeners.get(listener)?.abort();
    }
  }
}

const pauseBeforeRetry = (over: AbortSignal): Promise<unknown> =>
  pause(againMs, undefined, { signal: over }).catch(() => {});

/** Flushes what was written, but destroys the connection when the client does not read it in time. */
function finish(response: ServerResponse): void {
  if (response.closed) return;
  const timer = setTimeout(() => response.destroy(), lastWordsMs).unref();
  response.once('close', () => clearTimeout(timer));
  response.end();
}

function begin({ reply }: EdgeRequest): void {
  const headers = reply.getHeaders();
  reply.hijack();
  reply.raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Proxies that buffer responses would hold the stream back.
    'x-accel-buffering': 'no',
    connection: 'close',
  } as Record<string, string>);
}

const tooManyStreams = (): ApiError =>
  new ApiError(
    429,
    'TOO_MANY_WAITS',
    'The account has as many streams open as it may have.',
    { retryAfter: 15, limit: maxOfAccount },
    { 'retry-after': '15' },
  );
