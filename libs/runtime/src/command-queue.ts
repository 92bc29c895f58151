import type { Context } from '@carillon/bus';
import { type Sql, type Timer, Timers } from '@carillon/event-store';
import type { EventMetadata, Instant, Recorded } from '@carillon/eventing';
import { uuidV5 } from '@carillon/signing';
import { carried } from '@carillon/tracing';

/** The event that a command follows from. */
export type Cause = Pick<Recorded, 'id' | 'metadata'>;

export interface Enqueued<Command> {
  readonly key: string;
  readonly command: Command;
  readonly from: Cause;
  /** When to execute it; now by default. */
  readonly at?: Instant;
}

/**
 * Metadata and context for what a command issues. Both name the cause and its correlation id; executing the same
 * command again gives the same command ids. `step` distinguishes several commands to one stream.
 */
export interface CommandContext {
  metadata(accountId: string, step?: string): EventMetadata;
  /** For requests to other services; without an account the caller is the process itself. */
  context(options: {
    readonly accountId?: string;
    readonly withinMs: number;
    readonly step?: string;
  }): Context;
}

/**
 * An outbox of commands that follow from events: commands are written in the transaction of the event's rows, and
 * executed at least once by one of the replicas. What a command issues must be idempotent.
 */
export abstract class CommandQueue<Command extends object> extends Timers {
  /** The name of the process in event metadata, such as `teams.slot_releases`. */
  protected abstract readonly process: string;

  /** Executes the command; may return when to execute it again. */
  protected abstract execute(command: Command, as: CommandContext): Promise<Instant | void>;

  /** Does the work for each item. One that fails holds up none behind it: its error is thrown at the end. */
  protected async forEach<Item>(
    items: Iterable<Item> | AsyncIterable<Item>,
    work: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    const errors: unknown[] = [];
    for await (const item of items) await work(item).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  }

  /** Enqueues commands; a newer command replaces the one with the same key. */
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

interface Why {
  readonly cause: string;
  readonly correlationId: string;
  /** The trace context of the event, if its trace is recorded. */
  readonly traceparent?: string;
}

function commandContext(
  name: string,
  process: string,
  { cause, correlationId, traceparent }: Why,
): CommandContext {
  const commandOf = (step = ''): string => uuidV5(cause, `${name} ${step}`);
  return {
    metadata: (accountId, step) => ({
      commandId: commandOf(step),
      causationId: cause,
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
