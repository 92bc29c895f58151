import type { Streams } from '@carillon/contracts';
import { type EventsOf, ignore, type On, Projection } from '@carillon/event-store';
import type { Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { EndedAccess } from './ended-access.worker';

type Followed = Streams<'pass' | 'gateway_session'>;

/** Enqueues the deletion of the streams of passes and gateway sessions. */
@Injectable()
export class AccessProcess extends Projection<Followed> {
  readonly name = 'access';
  readonly tables = [];
  readonly on: On<Followed> = {
    pass: {
      PassIssued: (sql, recorded) => this.ended.add(sql, recorded.event.until, recorded),
      PassSpent: ignore,
    },
    gateway_session: {
      GatewaySessionBegun: (sql, recorded) => this.ended.add(sql, recorded.event.until, recorded),
      GatewaySessionUsed: ignore,
    },
  };

  constructor(@Inject(EndedAccess) private readonly ended: EndedAccess) {
    super();
  }

  /** Each command depends on one event. */
  override accountOf({ metadata }: Recorded<EventsOf<Followed>>): string {
    return metadata.accountId;
  }
}
