import type { Context } from '@carillon/bus';
import type { ServicePayload } from '@carillon/contracts';
import { Database, Log } from '@carillon/event-store';
import type { Refused } from '@carillon/eventing';
import { Clock, keptSince, type Logger, LOGGER } from '@carillon/runtime';
import { openWith, sealWith } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { HookRequest } from '../preset/read';
import type { Service } from '../service/service';
import { kept, type Outcome } from './payload';

/** How many payloads a service keeps, and for how long. */
const keptPayloads = 20;
export const keptPayloadDays = 7;

/**
 * The last payloads of each service, and what was made of them, for its creator to look at. They are rows only: nothing
 * follows from them, and the log would keep each payload beside the event that it has made. Their text is sealed with
 * the key of the creator's account.
 */
@Injectable()
export class Payloads {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Notes a payload. A failure costs the note, and nothing of the request. */
  async note(
    { id, accountId }: Pick<Service, 'id' | 'accountId'>,
    request: Pick<HookRequest, 'contentType' | 'payload'>,
    outcome: Outcome,
  ): Promise<void> {
    try {
      const key = await this.log.keys.toSeal(accountId);
      if (key === 'gone') return;
      const at = this.clock.now();
      const sealed = sealWith(key, JSON.stringify(kept(request, outcome, at)), contextOf(id));
      await this.database.query(
        `WITH old AS (DELETE FROM service_payloads WHERE seq = ANY(ARRAY(
           SELECT seq FROM service_payloads WHERE service_id = $1
           ORDER BY seq DESC OFFSET $5 FOR UPDATE SKIP LOCKED)))
         INSERT INTO service_payloads (service_id, account_id, received_at, sealed) VALUES ($1, $2, $3, $4)`,
        [id, accountId, at, sealed, keptPayloads - 1],
      );
    } catch (error) {
      this.logger.warn(
        { err: error, serviceId: id },
        'Failed to keep a payload of a webhook service: its creator does not see it among the last payloads',
      );
    }
  }

  async refuse(
    from: Pick<Service, 'id' | 'accountId'>,
    request: Pick<HookRequest, 'contentType' | 'payload'>,
    refusal: Refused,
    { traceparent }: Context,
  ): Promise<void> {
    this.logger.info(
      { serviceId: from.id, reason: refusal.reason, traceparent },
      'Refused a payload of a webhook service: its creator finds it among the last payloads',
    );
    await this.note(from, request, { refusal });
  }

  /** The last payloads of a service, the newest first. */
  async of({ id, accountId }: Pick<Service, 'id' | 'accountId'>): Promise<readonly ServicePayload[]> {
    const rows = await this.database.query<{ sealed: string }>(
      `SELECT sealed FROM service_payloads WHERE service_id = $1 AND received_at > $2 ORDER BY seq DESC LIMIT $3`,
      [id, keptSince(this.clock.now(), keptPayloadDays), keptPayloads],
    );
    const key = await this.log.keys.toOpen(accountId);
    if (typeof key === 'string') return [];
    return rows.map(
      ({ sealed }) => JSON.parse(openWith(key, sealed, contextOf(id)).toString('utf8')) as ServicePayload,
    );
  }
}

const contextOf = (serviceId: string): string => `service_payload ${serviceId}`;
