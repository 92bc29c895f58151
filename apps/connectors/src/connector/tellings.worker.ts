import { Bus, type Context } from '@carillon/bus';
import { Pages } from '@carillon/contracts';
import { Database, Log, type Sql } from '@carillon/event-store';
import { unless } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { connector, type ConnectorState, isThere } from './connector';
import { keyOwner } from './connector-access.service';
import { nextStep, notePage, noteResolved, type OutageStep } from './telling';

interface Command {
  readonly connectorId: string;
}

/** A page waits for the status of its pushes. */
const withinMs = 20_000;

/**
 * Pages on-call groups about offline connectors, and resolves those pages. The log of the connector determines the next
 * step, so outages stay in order when a replica is late or dies; a repeated step has no further effect.
 */
@Injectable()
export class Tellings extends CommandQueue<Command> {
  readonly name = 'connector_tellings';
  protected readonly process = 'connectors.tellings';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async tell(sql: Sql, connectorId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: connectorId, command: { connectorId }, from });
  }

  protected async execute({ connectorId }: Command, as: CommandContext): Promise<void> {
    const tail = streamTail(connectorId);
    for (;;) {
      const { state } = await this.log.load(connector, tail);
      const step = nextStep(state);
      if (!state || !step) return;
      const { what, outage } = step;
      // Independent of the cause of the command, so that a repeated step reuses the first request.
      const commandId = uuidV5(connectorId, `connectors.tellings ${what} ${outage}`);
      const context = { ...as.context({ withinMs }), commandId };
      const decide =
        what === 'page'
          ? notePage({ outage, pageId: await this.page(state, step, context), at: this.clock.now() })
          : await this.resolve(step, context);
      const metadata = { ...as.metadata(keyOwner(state)), commandId };
      await this.log.transact(connector, tail, decide, metadata);
    }
  }

  /** The id of the page; null where the group is gone. */
  private async page(
    state: NonNullable<ConnectorState>,
    { groupId }: Extract<OutageStep, { what: 'page' }>,
    context: Context,
  ): Promise<string | null> {
    const { id } = state;
    const title = isThere(state) ? `Connector "${state.name}" is offline` : 'A connector was offline';
    const body = isThere(state) ? `Nothing was heard of ${state.hostname} for 90 seconds.` : null;
    const dedupKey = `connector:${id}:offline`;
    const raised = { groupId, title, body, dedupKey, source: 'connector' } as const;
    const asked = this.bus.ask(Pages.raise, raised, context);
    return (await unless('oncall_group.not_found', asked))?.value.page.id ?? null;
  }

  private async resolve({ outage, pageId }: Extract<OutageStep, { what: 'resolve' }>, context: Context) {
    await this.bus.ask(Pages.recover, { id: pageId }, context);
    return noteResolved({ outage, at: this.clock.now() });
  }
}
