import { Database, Projections } from '@carillon/event-store';
import { Inject, Injectable } from '@nestjs/common';
import type { Service } from './service';

/** What rows know of shares. */
@Injectable()
export class Shares {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /**
   * The family that the service is shared with: none when its creator is not in it any more, also before it was taken
   * back.
   */
  async familyOf(
    { id, familyId, shares }: Pick<Service, 'id' | 'familyId' | 'shares'>,
    after?: string,
  ): Promise<string | null> {
    if (familyId === null) return null;
    await this.projections.reached('shares', after);
    // Rows that do not know this share yet know of none that is over.
    const [row] = await this.database.query<{ family_id: string | null }>(
      `SELECT family_id FROM service_shares WHERE service_id = $1 AND shares = $2`,
      [id, shares],
    );
    return row ? row.family_id : familyId;
  }
}
