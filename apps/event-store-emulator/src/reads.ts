import { randomUUID } from 'node:crypto';
import { DELETED_REVISION } from './expected';
import { Checkpoints } from './checkpoints';
import { BadFilter, matcher, type Filterable } from './filter';
import type { streams } from './protocol';
import type { Reader } from './reader';
import { decode, present, type StoredEvent } from './record';
import { caughtUp, checkpoint, confirmation, streamNotFound, type Failure } from './responses';

/** A position in a stream or in $all. What no number can hold is beyond everything, and may be rounded. */
type From = 'start' | 'end' | { at: number; prepare: number };

/** A read or a subscription, as asked for. */
export interface ReadOrder {
  /** A stream's name; undefined: $all. */
  stream: string | undefined;
  from: From;
  backwards: boolean;
  subscribes: boolean;
  count: number;
  resolveLinks: boolean;
  structuredIds: boolean;
  matches?: (event: Filterable) => boolean;
  /** How many events a page of a filtered subscription looks at, and after how many it says where it is. */
  window: number;
  checkpointEvery: number;
}

/** Where a read's answers go. */
export interface ReadWriter {
  /** Aborted when the reader is gone or the server closes. */
  readonly signal: AbortSignal;
  /** Whether more may be sent at once. */
  send(bytes: Buffer): boolean;
  /** Resolves when more may be sent, or when the reader is gone. */
  drained(): Promise<void>;
}

const PAGE = 256;
/** The server reads pages of so many events, and takes that for the window that nobody named. */
const SERVER_PAGE = 32;
const LARGEST_WINDOW = 2 ** 31 - 1;
/** As a revision or as a position it means the end. */
const END = 2n ** 64n - 1n;

type ReadOptions = InstanceType<(typeof streams)['ReadReq']['Options']>;

const invalid = (message: string): Failure => ({ failure: 'invalid-argument', message });
const unknown = (message: string): Failure => ({ failure: 'unknown', message });

/** Reads the request, or says what is wrong with it. */
export function orderOf(options: ReadOptions | undefined): ReadOrder | Failure {
  if (!options) return unknown('the read has no options');
  const subscribes = options.hasSubscription();
  const filter = options.getFilter();
  if (!subscribes && !options.hasCount()) return invalid('the read neither counts nor subscribes');
  if (!filter && !options.hasNoFilter()) return invalid('the read does not say whether it filters');
  const order: ReadOrder = {
    stream: undefined,
    from: 'start',
    backwards: options.getReadDirection() === 1,
    subscribes,
    count: subscribes ? 0 : Number(options.getCount()),
    resolveLinks: options.getResolveLinks(),
    structuredIds: options.getUuidOption()?.hasString() === false,
    window: SERVER_PAGE,
    checkpointEvery: SERVER_PAGE,
  };
  const failure =
    whatIsWrongWithDirection(order, options) ??
    readFrom(order, options) ??
    (filter && readFilter(order, filter));
  return failure ?? order;
}

function whatIsWrongWithDirection(order: ReadOrder, options: ReadOptions): Failure | undefined {
  if (order.subscribes && order.backwards) return invalid('a subscription only goes forwards');
  if (options.hasStream() && options.getFilter()) return invalid('only $all can be filtered');
  return undefined;
}

function readFrom(order: ReadOrder, options: ReadOptions): Failure | undefined {
  const inStream = options.getStream();
  if (inStream) {
    order.stream = Buffer.from(inStream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    if (order.stream === '') return unknown('the stream name is empty');
    if (inStream.hasEnd()) order.from = 'end';
    else if (inStream.hasRevision()) return readRevision(order, BigInt(inStream.getRevision()));
    else if (!inStream.hasStart()) return unknown('the read does not say where it starts');
    return undefined;
  }
  const inAll = options.getAll();
  if (!inAll) return invalid('the read names neither a stream nor $all');
  const position = inAll.getPosition();
  if (position)
    return readPosition(order, BigInt(position.getCommitPosition()), BigInt(position.getPreparePosition()));
  if (inAll.hasEnd()) order.from = 'end';
  else if (!inAll.hasStart()) return unknown('the read does not say where it starts');
  return undefined;
}

function readRevision(order: ReadOrder, revision: bigint): Failure | undefined {
  if (revision === END) order.from = 'end';
  else if (revision > DELETED_REVISION) return unknown('the revision is above the signed range');
  else if (order.subscribes && revision === DELETED_REVISION)
    return unknown('there is no revision behind the largest');
  else order.from = { at: Number(revision), prepare: Number(revision) };
  return undefined;
}

function readPosition(order: ReadOrder, commit: bigint, prepare: bigint): Failure | undefined {
  if (commit < prepare) return unknown('the prepare position is behind the commit position');
  if (commit === END && prepare === END) order.from = 'end';
  else if (commit > DELETED_REVISION) return unknown('the position is above the signed range');
  // Nobody is further back than the start.
  else if (commit === 0n) order.from = 'start';
  else order.from = { at: Number(commit), prepare: Number(prepare) };
  return undefined;
}

function readFilter(
  order: ReadOrder,
  filter: NonNullable<ReturnType<ReadOptions['getFilter']>>,
): Failure | undefined {
  const expression = filter.getStreamIdentifier() ?? filter.getEventType();
  if (!expression) return invalid('the filter has no expression');
  if (!filter.hasMax() && !filter.hasCount()) return invalid('the filter has no window');
  try {
    order.matches = matcher({
      on: filter.hasStreamIdentifier() ? 'stream' : 'type',
      regex: expression.getRegex(),
      prefixes: expression.getPrefixList(),
    });
  } catch (error) {
    if (error instanceof BadFilter) return unknown(error.message);
    throw error;
  }
  if (filter.hasMax()) order.window = filter.getMax();
  if (order.window === 0 || order.window > LARGEST_WINDOW)
    return invalid('the search window is none, or too large');
  const multiplier = filter.getCheckpointintervalmultiplier();
  if (order.subscribes && multiplier === 0) return unknown('the checkpoint interval is zero');
  order.checkpointEvery = order.window * multiplier;
  return undefined;
}

/** Serves a read until its end, or a subscription until the reader goes. Resolves to what went wrong, if anything. */
export function serve(reader: Reader, order: ReadOrder, writer: ReadWriter): Promise<Failure | undefined> {
  const deliver = async (event: StoredEvent) => {
    const link = order.resolveLinks && event.type === '$>' ? resolve(reader, event, order) : undefined;
    if (!writer.send(present(event, link, order.structuredIds))) await writer.drained();
  };
  if (order.stream === undefined)
    return order.subscribes
      ? subscribeToAll(reader, order, writer, deliver)
      : readAll(reader, order, writer, deliver);
  return order.subscribes
    ? subscribeToStream(reader, order.stream, order, writer, deliver)
    : readStream(reader, order.stream, order, writer, deliver);
}

type Deliver = (event: StoredEvent) => Promise<void>;

/** The revision is a 64-bit number with a sign, and the server's parser allows spaces around it. */
const LINK = /^\s*([-+]?\d+)\s*(?:@(.*))?$/s;

/**
 * What a link points at; undefined: a text that names no revision, which reads give as it is. A link that cannot be
 * followed comes without an event.
 */
function resolve(
  reader: Reader,
  link: StoredEvent,
  order: ReadOrder,
): { target: Buffer | undefined } | undefined {
  const [, digits, name] = LINK.exec(decode(link.bytes).data.toString()) ?? [];
  const revision = digits === undefined ? undefined : BigInt(digits);
  if (revision === undefined || BigInt.asIntN(64, revision) !== revision)
    return order.subscribes ? { target: undefined } : undefined;
  if (!name || revision < -1n) return { target: undefined };
  return { target: reader.event(name, Number(revision))?.bytes };
}

/** Why $all cannot be read from there. Only a record's own position will do, forwards also any beyond the end. */
function whatIsWrongWithFrom(reader: Reader, { from, backwards }: ReadOrder): Failure | undefined {
  if (typeof from === 'string' || reader.hasRecordAt(from.at)) return undefined;
  if (backwards ? from.at === reader.end : from.at > reader.last) return undefined;
  return unknown('there is no record at this position');
}

async function readAll(
  reader: Reader,
  order: ReadOrder,
  writer: ReadWriter,
  deliver: Deliver,
): Promise<Failure | undefined> {
  const { from, backwards } = order;
  const wrong = whatIsWrongWithFrom(reader, order);
  if (wrong) return wrong;
  // The server looks for the end of a page that can hold nothing, and never finds it.
  if (order.count === 0) {
    await aborted(writer.signal);
    return undefined;
  }
  // What is appended while the read goes on is not part of it: it would never end under load.
  const end = reader.end;
  let left = order.count;
  let next = from === 'start' ? 0 : from === 'end' ? end : from.at;
  const hidden = typeof from === 'object' && backwards && from.prepare < from.at ? from.at : undefined;
  while (left > 0 && !writer.signal.aborted) {
    const limit = order.matches ? PAGE : Math.min(left, PAGE);
    const page = backwards ? reader.backwards(next, limit) : reader.forwards(next, limit);
    for (const event of page) {
      if (left === 0 || event.position >= end || writer.signal.aborted) return undefined;
      if (order.matches && !order.matches(event)) continue;
      // Backwards, the record just before a position counts only with that position as its prepare position, too.
      if (event.position + event.bytes.length === hidden) continue;
      left--;
      await deliver(event);
    }
    const last = page.at(-1);
    if (!last) return undefined;
    next = backwards ? last.position : last.position + 1;
  }
  return undefined;
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

async function readStream(
  reader: Reader,
  name: string,
  order: ReadOrder,
  writer: ReadWriter,
  deliver: Deliver,
): Promise<Failure | undefined> {
  const { from, backwards } = order;
  if (order.count === 0) return unknown('a stream is not read for no events');
  if (from === 'end' && !backwards) return unknown('a stream is not read forwards from its end');
  const view = reader.view(name);
  if (view.state === 'deleted') return { failure: 'stream-deleted', stream: name };
  if (view.state === 'missing') {
    writer.send(streamNotFound(name));
    return undefined;
  }
  const { from: first } = view.rule;
  let left = order.count;
  let next = from === 'start' ? 0 : from === 'end' ? view.last : from.at;
  next = backwards ? Math.min(next, view.last) : Math.max(next, first);
  const to = backwards ? first : view.last;
  const step = backwards ? -1 : 1;
  while (left > 0 && !writer.signal.aborted && (to - next) * step >= 0) {
    const { events, reached } = reader.page(view, next, to, Math.min(left, PAGE));
    for (const event of events) {
      if (left === 0 || writer.signal.aborted) return undefined;
      left--;
      await deliver(event);
    }
    if (reached === undefined) return undefined;
    next = reached + step;
  }
  return undefined;
}

/** Where a subscription to $all begins to look; undefined: at what comes from now on. */
function firstOf(reader: Reader, { from }: ReadOrder): number | undefined {
  if (from === 'start') return 0;
  if (from === 'end' || from.at > reader.last) return undefined;
  const [told] = reader.forwards(from.at, 1);
  return told && told.position + told.bytes.length;
}

async function subscribeToAll(
  reader: Reader,
  order: ReadOrder,
  writer: ReadWriter,
  deliver: Deliver,
): Promise<Failure | undefined> {
  const wrong = whatIsWrongWithFrom(reader, order);
  if (wrong) return wrong;
  const { matches } = order;
  const first = firstOf(reader, order);
  let next = first ?? reader.end;
  let live = first === undefined;
  const checkpoints =
    matches &&
    new Checkpoints(order, next, (position) => {
      writer.send(checkpoint(position));
    });
  writer.send(confirmation(randomUUID()));
  if (live) writer.send(caughtUp());
  while (!writer.signal.aborted) {
    const page = reader.forwards(next, PAGE);
    if (page.length === 0) {
      if (!live) writer.send(caughtUp());
      live = true;
      await reader.nextCommit(writer.signal);
      continue;
    }
    for (const event of page) {
      const isMatch = !matches || matches(event);
      if (isMatch) await deliver(event);
      if (writer.signal.aborted) return undefined;
      next = event.position + event.bytes.length;
      checkpoints?.consider(event.position, next, isMatch, live);
    }
    // A page without a match never waits for the reader, and others want their turn.
    if (matches && !live) await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

async function subscribeToStream(
  reader: Reader,
  name: string,
  order: ReadOrder,
  writer: ReadWriter,
  deliver: Deliver,
): Promise<Failure | undefined> {
  const deleted: Failure = { failure: 'stream-deleted', stream: name };
  let isConfirmed = false;
  const confirm = () => {
    if (!isConfirmed) writer.send(confirmation(randomUUID()));
    isConfirmed = true;
  };

  let next = typeof order.from === 'object' ? order.from.at + 1 : 0;
  // One that starts at the end is live at once, even when the stream is not there, or no more.
  let view = reader.view(name);
  if (order.from === 'end') next = view.last + 1;
  else
    for (;;) {
      view = reader.view(name);
      if (writer.signal.aborted) return undefined;
      if (view.state === 'deleted') return deleted;
      confirm();
      if (view.state === 'missing') {
        // It has not caught up as long as there is nothing to catch up with. New metadata may bring a stream back.
        await reader.nextCommit(writer.signal, name, `$$${name}`);
        continue;
      }
      const from = Math.max(next, view.rule.from);
      if (from > view.last) {
        next = Math.max(next, view.last + 1);
        break;
      }
      const { events, reached } = reader.page(view, from, view.last, PAGE);
      for (const event of events) {
        await deliver(event);
        if (writer.signal.aborted) return undefined;
      }
      next = (reached ?? view.last) + 1;
    }

  confirm();
  writer.send(caughtUp());
  if (view.state === 'deleted') {
    await aborted(writer.signal);
    return undefined;
  }
  // From here on everything is told as it comes: retention and deletion hide only what is read later.
  while (!writer.signal.aborted) {
    const { id, last } = reader.view(name);
    const events = id === undefined || next > last ? [] : reader.unhidden(id, next, PAGE);
    for (const event of events) {
      await deliver(event);
      if (writer.signal.aborted) return undefined;
    }
    next += events.length;
    if (events.length > 0) continue;
    const tombstone = reader.tombstoneOf(name);
    if (tombstone) {
      await deliver(tombstone);
      return deleted;
    }
    await reader.nextCommit(writer.signal, name);
  }
  return undefined;
}
