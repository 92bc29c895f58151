import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignoring, type On, Projection } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { plus, type Recorded } from '@carillon/eventing';
import { silenceMs } from './heartbeat';
import { Tellings } from './tellings.worker';
import { Watches } from './watches.worker';

type Followed = Streams<'connector'>;
const ignored = ignoring(
  'ConnectorRegistered',
  'ConnectorChanged',
  'ConnectorSecretRotated',
  'ConnectorAgentChanged',
  'ConnectorPaged',
  'ConnectorPageResolved',
);

/** Enqueues the watch of online connectors, and the paging of on-call groups for offline ones. */
@Injectable()
export class OutagesProcess extends Projection<Followed> {
  readonly name = 'connector_outages';
  readonly tables = [];
  override readonly immediate = true;
  readonly on: On<Followed> = {
    connector: {
      ...ignored,
      ConnectorCameOnline: async (sql, recorded) => {
        const { connectorId, cameOnlineAt } = recorded.event;
        await this.watches.watch(sql, connectorId, plus(cameOnlineAt, silenceMs), recorded);
        await this.tellings.tell(sql, connectorId, recorded);
      },
      ConnectorWentOffline: (sql, recorded) => this.tellings.tell(sql, recorded.event.connectorId, recorded),
      ConnectorRemoved: async (sql, recorded) => {
        const { connectorId, removedAt } = recorded.event;
        await this.watches.watch(sql, connectorId, removedAt, recorded);
        await this.tellings.tell(sql, connectorId, recorded);
      },
    },
  };

  constructor(
    @Inject(Watches) private readonly watches: Watches,
    @Inject(Tellings) private readonly tellings: Tellings,
  ) {
    super();
  }

  override accountOf({ event }: Recorded<EventsOf<Followed>>): string {
    return event.teamId ?? event.accountId;
  }
}
