import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Service } from './service';

/** SQL for the shares: `family_id` is null when the creator has left the family that the service was `shared_with`. */
export const liveShares = `(
  SELECT s.service_id, s.account_id, s.shares, s.family_id AS shared_with, m.team_id AS family_id
  FROM service_shares s LEFT JOIN family_members m
    ON m.team_id = s.family_id AND m.account_id = s.account_id AND m.membership = s.membership) shares`;

/** Reads shares from the rows. */
@Injectable()
export class Shares {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /**
   * The family that the service is shared with: null when its creator has left it, also before the share has ended in
   * the log.
   */
  async familyOf(
    { id, familyId, shares }: Pick<Service, 'id' | 'familyId' | 'shares'>,
    after?: string,
  ): Promise<string | null> {
    if (familyId === null) return null;
    await this.projections.reached('shares', after);
    // A share that is missing in the rows has not ended yet: they have not caught up with it.
    const [row] = await this.database.query<{ family_id: string | null }>(
      `SELECT family_id FROM ${liveShares} WHERE service_id = $1 AND shares = $2`,
      [id, shares],
    );
    return row ? row.family_id : familyId;
  }
}
