import type { Streams } from '@carillon/contracts';
import { ignore, type On, Projection } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import { EndedAccess } from './ended-access.worker';

type Followed = Streams<'pass' | 'gateway_session'>;

/** Orders that no stream of a pass or a gateway session is kept for ever. */
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
}
