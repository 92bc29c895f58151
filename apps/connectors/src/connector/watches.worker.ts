import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, isBefore } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { connector, isThere } from './connector';
import { keyOwner } from './connector-access.service';
import { goOffline, hearAgain, offlineAt } from './heartbeat';
import { Heartbeats, laterOf } from './heartbeats.service';
import { Listening } from './listening.service';

interface Command {
  readonly connectorId: string;
}

/**
 * Checks each online connector when its last known heartbeat is 90 seconds old. Usually a newer heartbeat has come:
 * then the next check is 90 seconds after that heartbeat (ADR 37).
 */
@Injectable()
export class Watches extends CommandQueue<Command> {
  readonly name = 'connector_watches';
  protected readonly process = 'connectors.watches';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Heartbeats) private readonly heartbeats: Heartbeats,
    @Inject(Listening) private readonly listening: Listening,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the event that the connector came online or was removed. */
  async watch(sql: Sql, connectorId: string, at: Instant, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: connectorId, at, command: { connectorId }, from });
  }

  protected async execute({ connectorId }: Command, as: CommandContext): Promise<Instant | void> {
    const tail = streamTail(connectorId);
    const { state } = await this.log.load(connector, tail);
    if (!isThere(state)) return this.heartbeats.forget(connectorId);
    const { heardAt, status } = state;
    if (status !== 'online' || heardAt === null) return;
    const lastSeenAt = (await this.heartbeats.lastSeenAt(state)) ?? heardAt;
    const due = offlineAt(lastSeenAt, await this.listening.since());
    const at = this.clock.now();
    if (isBefore(at, due)) return due;
    const gone = goOffline({ lastSeenAt, at });
    await this.log.transact(connector, tail, gone, as.metadata(keyOwner(state), 'offline'));
    // A heartbeat received meanwhile found the connector online and appended no event.
    const seenAt = laterOf(lastSeenAt, await this.heartbeats.lastSeenAt({ id: connectorId, heardAt: null }));
    if (seenAt === null || seenAt === lastSeenAt) return;
    await this.log.transact(connector, tail, hearAgain({ seenAt }), as.metadata(keyOwner(state), 'heard'));
  }
}
