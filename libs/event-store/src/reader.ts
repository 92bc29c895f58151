import streams from '@eventstore/db-client/generated/streams_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { framed, Messages } from './frames';
import { readMessage } from './read-message';
import { errorOf, type StoreSession } from './session';
import { prefixOf, type ServerEvents, type ServerSubscription } from './server-subscription';

/**
 * A subscription to the log over a connection of our own, on which an event that nobody wants is never decoded
 * (`readMessage`); the official client decodes all of each. Ends with the errors of the official client, and with an
 * `Error` without a type for bytes that nobody can read.
 */
export class OwnReader implements ServerSubscription {
  private readonly call: ClientHttp2Stream | undefined;
  private readonly messages = new Messages();
  /** What has come and is not told yet, since it is paused: then HTTP/2 holds up the server. */
  private waiting: Buffer[] = [];
  private isPaused = false;
  private isTelling = false;
  private isConfirmed = false;
  private isOver = false;

  /** The events after a position, of some categories or all but the store's own. */
  constructor(
    session: StoreSession,
    from: bigint,
    categories: readonly string[] | undefined,
    private readonly on: ServerEvents,
  ) {
    try {
      this.call = session.call('Read', {}, (end) => this.ended(errorOf(end)));
      this.call.on('data', (chunk: Buffer) => this.receive(chunk));
      this.call.end(framed(subscriptionRequest(from, categories)));
    } catch {
      // The server takes no new calls on this connection.
      session.close();
      process.nextTick(() => this.ended(errorOf({})));
    }
  }

  pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.call?.pause();
  }

  resume(): void {
    if (!this.isPaused) return;
    this.isPaused = false;
    this.tell();
    if (!this.isPaused) this.call?.resume();
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.waiting = [];
    this.call?.close(constants.NGHTTP2_CANCEL);
    // What it has read of the connection while it was paused goes with it.
    this.call?.destroy();
  }

  private receive(chunk: Buffer): void {
    if (this.isOver) return;
    try {
      this.waiting.push(...this.messages.in(chunk));
    } catch (error) {
      return this.failed(error);
    }
    this.tell();
  }

  /** Tells what has come, until it is paused. A listener may pause, resume and end it meanwhile. */
  private tell(): void {
    if (this.isTelling) return;
    this.isTelling = true;
    let told = 0;
    while (told < this.waiting.length && !this.isPaused) {
      const bytes = this.waiting[told]!;
      told += 1;
      this.tellOne(bytes);
    }
    this.waiting.splice(0, told);
    this.isTelling = false;
  }

  private tellOne(bytes: Buffer): void {
    const message = this.read(bytes);
    if (message === undefined) return;
    if (message === 'confirmation') {
      this.isConfirmed = true;
      this.pause();
      this.on.confirmed();
    } else if (typeof message === 'bigint') this.on.position(message);
    else this.on.event(message);
  }

  private read(bytes: Buffer): ReturnType<typeof readMessage> {
    try {
      const message = readMessage(bytes);
      if (message === undefined || message === 'confirmation' || this.isConfirmed) return message;
      throw new Error('Events came before the subscription was confirmed');
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** Not the protocol that was agreed on: events may be missing from here on. */
  private failed(error: unknown): void {
    this.ended(new Error('The event store sent what cannot be followed', { cause: error }));
    void this.end();
  }

  private ended(error: Error): void {
    if (this.isOver) return;
    this.isOver = true;
    this.on.ended(error);
  }
}

/** The request of a subscription, as the official client makes it. */
function subscriptionRequest(from: bigint, categories: readonly string[] | undefined): Uint8Array {
  const options = new streams.ReadReq.Options();
  const all = new streams.ReadReq.Options.AllOptions();
  if (from === 0n) all.setStart(new shared.Empty());
  else {
    const position = new streams.ReadReq.Options.Position();
    position.setCommitPosition(String(from));
    position.setPreparePosition(String(from));
    all.setPosition(position);
  }
  options.setAll(all);
  options.setSubscription(new streams.ReadReq.Options.SubscriptionOptions());
  const ids = new streams.ReadReq.Options.UUIDOption();
  ids.setString(new shared.Empty());
  options.setUuidOption(ids);
  const expression = new streams.ReadReq.Options.FilterOptions.Expression();
  const filter = new streams.ReadReq.Options.FilterOptions();
  if (categories) {
    expression.setPrefixList(categories.map(prefixOf));
    filter.setStreamIdentifier(expression);
  } else {
    expression.setRegex(notOfTheStore);
    filter.setEventType(expression);
  }
  filter.setCount(new shared.Empty());
  filter.setCheckpointintervalmultiplier(1);
  options.setFilter(filter);
  const request = new streams.ReadReq();
  request.setOptions(options);
  return request.serializeBinary();
}

/** As `excludeSystemEvents` of the official client. */
const notOfTheStore = '^[^$].*';
