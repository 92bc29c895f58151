import type { Context } from '@carillon/bus';
import { type Sql, type Timer, Timers } from '@carillon/event-store';
import type { EventMetadata, Instant, Recorded } from '@carillon/eventing';
import { uuidV5 } from '@carillon/signing';
import { carried } from '@carillon/tracing';

/** The event that an order follows from. */
export type Cause = Pick<Recorded, 'id' | 'metadata'>;

export interface Enqueued<Command> {
  readonly key: string;
  readonly command: Command;
  readonly from: Cause;
  /** At once unless said. */
  readonly at?: Instant;
}

/**
 * As whom an order is carried out. What it leads to names its cause and belongs to the same story; the same order has the
 * same commands however often it is carried out. Several commands to one stream are told apart by their step.
 */
export interface CommandContext {
  metadata(accountId: string, step?: string): EventMetadata;
  /** For questions to other services; without an account the process itself asks. */
  context(options: {
    readonly accountId?: string;
    readonly withinMs: number;
    readonly step?: string;
  }): Context;
}

/**
 * What a process has to do because something has happened: orders written in the transaction of what they follow from, and
 * carried out at least once by one of the replicas. What they issue must absorb repeats.
 */
export abstract class CommandQueue<Command extends object> extends Timers {
  /** Who acts, such as `teams.slot_releases`. */
  protected abstract readonly process: string;

  /** May say when it is to be carried out once more. */
  protected abstract execute(command: Command, as: CommandContext): Promise<Instant | void>;

  /** One key has one order, the newest. */
  protected async enqueue(sql: Sql, ...entries: readonly Enqueued<Command>[]): Promise<void> {
    await this.setAll(
      sql,
      entries.map(({ key, command, from, at = this.clock.now() }) => ({
        key,
        at,
        command: {
          ...command,
          cause: from.id,
          correlationId: from.metadata.correlationId,
          ...carried(from.metadata.traceparent),
        },
      })),
    );
  }

  protected issue({ key, command }: Timer): Promise<Instant | void> {
    const stored = command as Command & Why;
    return this.execute(stored, commandContext(`${this.process} ${key}`, this.process, stored));
  }
}

/** Rows of former versions may have no cause. */
interface Why {
  readonly cause?: string;
  readonly correlationId?: string;
  /** Where the trace of the event is recorded. */
  readonly traceparent?: string;
}

function commandContext(
  name: string,
  process: string,
  { cause, correlationId = name, traceparent }: Why,
): CommandContext {
  const commandOf = (step = ''): string => uuidV5(cause ?? name, `${name} ${step}`);
  return {
    metadata: (accountId, step) => ({
      commandId: commandOf(step),
      ...(cause !== undefined && { causationId: cause }),
      correlationId,
      accountId,
      actor: { process },
      ...carried(traceparent),
    }),
    context: ({ accountId = '', withinMs, step }) => ({
      commandId: commandOf(step),
      correlationId,
      caller: { accountId, process },
      deadline: Date.now() + withinMs,
      ...carried(traceparent),
    }),
  };
}
