import { type Connection, end } from './connection';
import type { Listener, Subscription } from './event-store';
import { failureOf, Interrupted } from './failures';
import { OfficialReader } from './official-reader';
import { OwnReader } from './reader';
import { refusalOf } from './refusals';
import type { ServerEvents, ServerSubscription } from './server-subscription';
import { hasEventAt, subscriptionStart } from './subscription-start';

/** What reads a subscription: our reader, or the official client. */
export type ReaderKind = 'own' | 'official';

/** Which nodes of a cluster serve subscriptions. */
export type FollowedNode = 'leader' | 'follower';

/** Subscribes to the log, as `EventStore.subscribe` says. */
export function subscribeTo(
  connection: Connection,
  { follow, reader }: { readonly follow: FollowedNode; readonly reader: ReaderKind },
  after: bigint,
  listener: Listener,
  categories?: readonly string[],
): Subscription {
  let open = true;
  let isPaused = false;
  let isBegun = false;
  let server: ServerSubscription | undefined;
  let leaveNode = async (): Promise<void> => {};
  let { generation } = connection;
  const drop = (error: unknown): void => {
    if (!open) return;
    open = false;
    void leaveNode();
    const failure = failureOf(error);
    // A node that follows is not used again; the client at the leader is none the worse.
    if (failure === 'reconnect' && follow === 'leader') connection.replace(generation);
    const told = failure === 'refused' ? refusalOf(error, { verb: 'follow', stream: '$all' }) : error;
    listener.dropped(told);
  };
  const start = async (): Promise<void> => {
    const current = await connection.current();
    if (!open) return;
    generation = current.generation;
    // Only what comes by subscription may be late: all other reads and all writes are the leader's.
    const follower = follow === 'follower' ? connection.follower() : undefined;
    if (follower) leaveNode = () => end(follower);
    const client = follower ?? current.client;
    const from = await subscriptionStart(client, after);
    if (!open) return leaveNode();
    const on: ServerEvents = {
      confirmed: () => {
        // A scavenge may have removed the event before the server read it.
        const checked = hasEventAt(client, from).then((isThere) => {
          if (!isThere) throw new Interrupted();
          isBegun = true;
          if (open && !isPaused) server?.resume();
        });
        checked.catch((error: unknown) => {
          drop(error);
          void server?.end();
        });
      },
      event: (event) => {
        if (!open || (from < after && event.position <= after)) return;
        // A filter by names passes the event that ends a stream for ever.
        if (event.type.startsWith('$')) listener.position(event.position);
        else listener.event(event);
      },
      position: (position) => {
        if (open) listener.position(position);
      },
      ended: drop,
    };
    if (reader === 'official') server = new OfficialReader(client, from, categories, on);
    else {
      const session = await (follower ? connection.sessionAt(follower) : connection.readerSession(client));
      if (follower)
        leaveNode = () => {
          session.close();
          return end(follower);
        };
      if (!open) return leaveNode();
      server = new OwnReader(session, from, categories, on);
    }
  };
  start().catch(drop);
  return {
    pause: () => {
      isPaused = true;
      if (isBegun) server?.pause();
    },
    resume: () => {
      isPaused = false;
      if (isBegun) server?.resume();
    },
    close: async () => {
      open = false;
      await server?.end();
      await leaveNode();
    },
  };
}
