import { Database, Log, type Sql } from '@carillon/event-store';
import { type Instant, plus } from '@carillon/eventing';
import { type Cause, Clock, type CommandContext, CommandQueue } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { OncallGroups } from '../service/oncall-groups.client';
import { ReceivedEvents } from '../event/received-events.service';
import { service } from '../service/service';
import { Calls } from '../event/calls.service';
import { nextLook, silenceEvent } from './silence';

interface Command {
  readonly serviceId: string;
}

const withinMs = 20_000;
/** Until the row has followed the event. */
const afterMs = 1_000;
/** No call is taken while the account of a service is suspended. */
const whileSuspendedMs = 60_000;

/**
 * Looks at each watched service when a call of its sender is due at the latest. Usually one has come: then the next
 * look is as long after that. The id of the event about a silence follows from the last call before it, so that there
 * is one for each silence, whichever replica finds it, and however often. A silence is told of once more when its
 * service has a group that can be paged and was not: it was gone, or is another one since.
 */
@Injectable()
export class Silences extends CommandQueue<Command> {
  readonly name = 'service_silences';
  protected readonly process = 'notifications.service_silences';

  constructor(
    @Inject(Database) database: Database,
    @Inject(Clock) clock: Clock,
    @Inject(Log) private readonly log: Log,
    @Inject(Calls) private readonly calls: Calls,
    @Inject(OncallGroups) private readonly groups: OncallGroups,
    @Inject(ModuleRef) private readonly modules: ModuleRef,
  ) {
    super(database, clock);
  }

  /** Enqueues in the transaction of the causing event. */
  async look(sql: Sql, serviceId: string, from: Cause): Promise<void> {
    await this.enqueue(sql, { key: serviceId, command: { serviceId }, from });
  }

  protected async execute({ serviceId }: Command, as: CommandContext): Promise<Instant | void> {
    const [watch] = await this.database.query<{
      last_call: Date;
      silent_since: Date | null;
      told_event_id: string | null;
      paged_group_id: string | null;
      is_suspended: boolean;
    }>(
      `SELECT greatest(since, called_at) AS last_call, silent_since, told_event_id, paged_group_id,
         EXISTS (SELECT FROM suspended_accounts a WHERE a.account_id = w.account_id) AS is_suspended
       FROM service_watches w LEFT JOIN service_calls USING (service_id) WHERE service_id = $1`,
      [serviceId],
    );
    const { state: found } = await this.log.load(service, streamTail(serviceId));
    if (!watch || !found) return;
    if (watch.is_suspended) return plus(this.clock.now(), whileSuspendedMs);
    const lastCall = watch.last_call.toISOString();
    const silentSince = watch.silent_since?.toISOString() ?? null;
    const deafMs = silentSince === null ? await this.calls.deafMs(lastCall) : 0;
    const { accountId, oncallGroupId } = found;
    const isPageable =
      silentSince !== null &&
      oncallGroupId !== null &&
      oncallGroupId !== watch.paged_group_id &&
      (await this.groups.mayPage(oncallGroupId, as.context({ accountId, withinMs, step: 'group' })));
    const next = nextLook({
      service: found,
      lastCall,
      silentSince,
      deafMs,
      isPageable,
      at: this.clock.now(),
    });
    if (!next) return;
    if ('lookAt' in next) return next.lookAt;
    const { tell } = next;
    const before = tell === 'silent' && watch.told_event_id !== null ? [watch.told_event_id] : [];
    const told = [tell, next.silentSince, ...before];
    const id = deriveId('evt', this.clock.ms(), this.process, serviceId, ...told);
    const context = as.context({ accountId, withinMs, step: told.join(' ') });
    const reading = silenceEvent(found.title, tell, lastCall);
    // Not injected: it waits for rows of projections, one of which enqueues here.
    const received = this.modules.get(ReceivedEvents, { strict: false });
    await received.receiveAs(id, found, reading, context, { silentSince: next.silentSince });
    return plus(this.clock.now(), afterMs);
  }
}
