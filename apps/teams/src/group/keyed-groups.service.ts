import type { Context } from '@carillon/bus';
import { Database, Projections } from '@carillon/event-store';
import { type Instant, plus, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { keyLifetimeMs } from '../team/made';

/** What idempotency keys have made, in whichever team. */
@Injectable()
export class KeyedGroups {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /**
   * Refused `idempotency.key_reused` when the key of this id came with another request, which may have been for another
   * team. What a key means within a team, the team decides.
   */
  async insistOnSameRequest(id: string, at: Instant, { idempotency, after }: Context): Promise<void> {
    if (!idempotency) return;
    await this.projections.reached('device_groups', after);
    const [other] = await this.database.query(
      `SELECT FROM keyed_groups WHERE tail = $1 AND fingerprint <> $2 AND made_at > $3`,
      [streamTail(id), idempotency.fingerprint, plus(at, -keyLifetimeMs)],
    );
    if (other) throw new Refused('idempotency.key_reused');
  }
}
