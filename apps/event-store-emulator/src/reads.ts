import { randomUUID } from 'node:crypto';
import { BadFilter, Checkpoints, matcher, type Filterable } from './filter';
import type { streams } from './generated';
import { present, type StoredEvent } from './record';
import { caughtUp, checkpoint, confirmation, streamNotFound, type Failure } from './responses';
import type { Store } from './store';

/** A read or a subscription, as asked for. */
export interface ReadOrder {
  /** A stream's name; undefined: $all. */
  stream: string | undefined;
  /** A revision or a position. */
  from: number | 'start' | 'end';
  backwards: boolean;
  subscribes: boolean;
  count: number;
  resolveLinks: boolean;
  structuredIds: boolean;
  matches?: (event: Filterable) => boolean;
  checkpointEvery: number;
}

/** Where a read's answers go. */
export interface Outlet {
  /** Aborted when the reader is gone or the server closes. */
  readonly signal: AbortSignal;
  /** Whether more may be sent at once. */
  send(bytes: Buffer): boolean;
  /** Resolves when more may be sent, or when the reader is gone. */
  drained(): Promise<void>;
}

const PAGE = 256;
const DEFAULT_WINDOW = 32;

type Options = InstanceType<(typeof streams)['ReadReq']['Options']>;

/** Reads the request; a string says what is wrong with it. */
export function orderOf(options: Options | undefined): ReadOrder | string {
  if (!options) return 'the read has no options';
  const inStream = options.getStream();
  const inAll = options.getAll();
  const order: ReadOrder = {
    stream: undefined,
    from: 'start',
    backwards: options.getReadDirection() === 1,
    subscribes: options.hasSubscription(),
    count: Number(options.getCount()),
    resolveLinks: options.getResolveLinks(),
    structuredIds: options.getUuidOption()?.hasStructured() ?? false,
    checkpointEvery: 1,
  };
  if (order.subscribes && order.backwards) return 'a subscription only goes forwards';

  if (inStream) {
    order.stream = Buffer.from(inStream.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    if (order.stream === '') return 'the stream name is empty';
    if (inStream.hasRevision()) order.from = Number(inStream.getRevision());
    else if (inStream.hasEnd()) order.from = 'end';
  } else if (inAll) {
    const position = inAll.getPosition();
    if (position) {
      order.from = Number(position.getCommitPosition());
      if (BigInt(position.getPreparePosition()) > BigInt(position.getCommitPosition()))
        return 'the prepare position is behind the commit position';
    } else if (inAll.hasEnd()) order.from = 'end';
  } else return 'the read names neither a stream nor $all';

  const filter = options.getFilter();
  if (filter) {
    if (order.stream !== undefined) return 'only $all can be filtered';
    const expression = filter.getStreamIdentifier() ?? filter.getEventType();
    if (!expression) return 'the filter has no expression';
    try {
      order.matches = matcher({
        on: filter.hasStreamIdentifier() ? 'stream' : 'type',
        regex: expression.getRegex(),
        prefixes: expression.getPrefixList(),
      });
    } catch (error) {
      if (error instanceof BadFilter) return error.message;
      throw error;
    }
    const window = filter.hasMax() ? filter.getMax() : DEFAULT_WINDOW;
    const multiplier = filter.getCheckpointintervalmultiplier();
    if (window === 0) return 'the search window is zero';
    if (order.subscribes && multiplier === 0) return 'the checkpoint interval is zero';
    order.checkpointEvery = window * multiplier;
  }
  return order;
}

/** Serves a read until its end, or a subscription until the reader goes. Resolves to what went wrong, if anything. */
export function serve(store: Store, order: ReadOrder, outlet: Outlet): Promise<Failure | undefined> {
  const deliver = async (event: StoredEvent) => {
    const isLink = order.resolveLinks && event.type === '$>';
    const link = isLink ? { target: store.follow(event) } : undefined;
    if (!outlet.send(present(event, link, order.structuredIds))) await outlet.drained();
  };
  if (order.stream === undefined)
    return order.subscribes
      ? subscribeToAll(store, order, outlet, deliver)
      : readAll(store, order, outlet, deliver);
  return order.subscribes
    ? subscribeToStream(store, order.stream, order, outlet, deliver)
    : readStream(store, order.stream, order, outlet, deliver);
}

type Deliver = (event: StoredEvent) => Promise<void>;

async function readAll(store: Store, order: ReadOrder, outlet: Outlet, deliver: Deliver): Promise<undefined> {
  // What is appended while the read goes on is not part of it: it would never end under load.
  const end = store.end;
  let left = order.count;
  let next = order.from === 'start' ? 0 : order.from === 'end' ? end : order.from;
  while (left > 0 && !outlet.signal.aborted) {
    const limit = order.matches ? PAGE : Math.min(left, PAGE);
    const page = order.backwards ? store.backwards(next, limit) : store.forwards(next, limit);
    for (const event of page) {
      if (left === 0 || event.position >= end || outlet.signal.aborted) return;
      if (order.matches && !order.matches(event)) continue;
      left--;
      await deliver(event);
    }
    const last = page.at(-1);
    if (!last) return;
    next = order.backwards ? last.position : last.position + 1;
  }
}

async function readStream(
  store: Store,
  name: string,
  order: ReadOrder,
  outlet: Outlet,
  deliver: Deliver,
): Promise<Failure | undefined> {
  const view = store.view(name);
  if (view.state === 'deleted') return { failure: 'stream-deleted', stream: name };
  if (view.state === 'missing') {
    outlet.send(streamNotFound(name));
    return undefined;
  }
  const { from: first } = view.rule;
  let left = order.count;
  let next = order.from === 'start' ? 0 : order.from === 'end' ? view.last : order.from;
  next = order.backwards ? Math.min(next, view.last) : Math.max(next, first);
  const to = order.backwards ? first : view.last;
  const step = order.backwards ? -1 : 1;
  while (left > 0 && !outlet.signal.aborted && (to - next) * step >= 0) {
    const { events, reached } = store.page(view, next, to, Math.min(left, PAGE));
    for (const event of events) {
      if (left === 0 || outlet.signal.aborted) return undefined;
      left--;
      await deliver(event);
    }
    if (reached === undefined) return undefined;
    next = reached + step;
  }
  return undefined;
}

async function subscribeToAll(
  store: Store,
  order: ReadOrder,
  outlet: Outlet,
  deliver: Deliver,
): Promise<undefined> {
  const { matches } = order;
  const checkpoints =
    matches &&
    new Checkpoints(order.checkpointEvery, (position) => {
      outlet.send(checkpoint(position));
    });
  let next = order.from === 'start' ? 0 : order.from === 'end' ? store.end : order.from + 1;
  let considered = -1;
  let live = false;
  outlet.send(confirmation(randomUUID()));
  while (!outlet.signal.aborted) {
    const page = store.forwards(next, PAGE);
    if (page.length === 0) {
      if (!live) {
        live = true;
        // Nothing was looked at by one that starts at the end, and there is nothing to remember.
        if (considered >= 0) checkpoints?.reach(considered);
        outlet.send(caughtUp());
      }
      await store.nextCommit(outlet.signal);
      continue;
    }
    for (const event of page) {
      if (!matches || matches(event)) await deliver(event);
      if (outlet.signal.aborted) return;
      considered = event.position;
      checkpoints?.consider(considered);
    }
    next = considered + 1;
    // A page without a match never waits for the reader, and others want their turn.
    if (matches && !live) await new Promise((resolve) => setImmediate(resolve));
  }
}

async function subscribeToStream(
  store: Store,
  name: string,
  order: ReadOrder,
  outlet: Outlet,
  deliver: Deliver,
): Promise<Failure | undefined> {
  outlet.send(confirmation(randomUUID()));
  const start = store.view(name);
  let next =
    order.from === 'start'
      ? 0
      : order.from === 'end'
        ? start.state === 'deleted'
          ? 0
          : start.last + 1
        : order.from + 1;
  let live = false;
  while (!outlet.signal.aborted) {
    const view = store.view(name);
    if (view.state === 'deleted') return { failure: 'stream-deleted', stream: name };
    if (view.state === 'there') next = Math.max(next, view.rule.from);
    if (view.state === 'missing' || next > view.last) {
      if (!live) {
        live = true;
        outlet.send(caughtUp());
      }
      await store.nextCommit(outlet.signal, name);
      continue;
    }
    const { events, reached } = store.page(view, next, view.last, PAGE);
    for (const event of events) {
      await deliver(event);
      if (outlet.signal.aborted) return undefined;
    }
    next = (reached ?? view.last) + 1;
  }
  return undefined;
}
