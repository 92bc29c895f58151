import { Bus, type Context } from '@carillon/bus';
import { Pages } from '@carillon/contracts';
import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, plus, Refused, unless } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { cut } from '@carillon/schema';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { event, type Received } from '../event/event';
import { noteGroup } from '../service/change-service';
import { service } from '../service/service';
import { note, servicePage } from './service-page';

interface Command {
  readonly alertKey: string;
}

/** A page waits for the status of its pushes. */
const withinMs = 20_000;
const maxPageBody = 4_000;
/** When the account has used up its pages of a minute. */
const laterMs = 10_000;

/**
 * Opens the pages of what fires and resolves those of what is over, one signal of a key after the other. A stream of
 * the event says what was done, and the requests to teams have ids that follow from the event: after a crash between
 * the two the same page is found again.
 */
@Injectable()
export class AlertPages extends CommandQueue<Command> {
  readonly name = 'service_pages';
  protected readonly process = 'notifications.service_pages';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Bus) private readonly bus: Bus,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async follow(sql: Sql, alertKey: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: alertKey, command: { alertKey }, from });
  }

  protected async execute({ alertKey }: Command, as: CommandContext): Promise<Instant | void> {
    const [signal] = await this.database.query<{ event_id: string; page_id: string | null }>(
      `SELECT event_id, page_id FROM service_signals LEFT JOIN service_pages USING (alert_key)
       WHERE alert_key = $1 ORDER BY position LIMIT 1`,
      [alertKey],
    );
    if (!signal) return;
    const { event_id: eventId, page_id: openPageId } = signal;
    const tail = streamTail(eventId);
    const { state: received } = await this.log.load(event, tail);
    // The rows follow, and with them the next signal.
    if ((await this.log.load(servicePage, tail)).state) return;
    if (!received) throw new Error('An event that fires or is resolved is not in the log');
    const { accountId } = received;
    const commandId = uuidV5(eventId, this.process);
    try {
      const decide =
        received.state === 'resolved'
          ? await this.resolve(received, openPageId, { ...as.context({ withinMs }), commandId })
          : await this.page(received, openPageId, { ...as.context({ accountId, withinMs }), commandId }, as);
      await this.log.transact(servicePage, tail, decide, { ...as.metadata(accountId), commandId });
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'page.too_many') throw error;
      return plus(this.clock.now(), laterMs);
    }
  }

  /** The service's creator pages, so that a group of a team that the creator has left is not paged. */
  private async page(signal: Received, openPageId: string | null, context: Context, as: CommandContext) {
    const { eventId, accountId, serviceId, oncallGroupId: groupId, dedupKey, title, body, url } = signal;
    const at = this.clock.now();
    const paged = { type: 'ServicePaged', eventId, accountId, serviceId, pagedAt: at } as const;
    // Without its text, its account was deleted.
    if (groupId === undefined || !dedupKey || title === null) return note({ ...paged, pageId: null });
    const asked = this.bus.ask(
      Pages.raise,
      {
        groupId,
        title,
        body: body === null ? null : cut(body, maxPageBody),
        url,
        dedupKey: `${serviceId}:${dedupKey}`,
        source: 'service',
      },
      context,
    );
    const pageId = (await unless('oncall_group.not_found', asked))?.value.page.id ?? null;
    await this.log.transact(
      service,
      streamTail(serviceId),
      noteGroup({ id: serviceId, groupId, isGone: pageId === null, at }),
      as.metadata(accountId, 'group'),
    );
    // The service has named another group since. A page that a person has resolved stays as it is.
    if (pageId !== null && openPageId !== null && openPageId !== pageId) {
      const commandId = uuidV5(context.commandId, 'former page');
      await this.bus.ask(Pages.recover, { id: openPageId }, { ...as.context({ withinMs }), commandId });
    }
    return note({ ...paged, pageId });
  }

  private async resolve(
    { eventId, accountId, serviceId }: Received,
    pageId: string | null,
    context: Context,
  ) {
    if (pageId !== null) await this.bus.ask(Pages.recover, { id: pageId }, context);
    const resolvedAt = this.clock.now();
    return note({ type: 'ServicePageResolved', eventId, accountId, serviceId, pageId, resolvedAt });
  }
}
