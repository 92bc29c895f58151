import { Database, Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { secret } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { codeHashOf } from './code';

/** Finds invites by code. The rows only map a code to its invite; the team's stream has the invite's state. */
@Injectable()
export class Codes {
  private readonly pepper = secret('CARILLON_PEPPER');

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /** Refused `invite.unknown` if no invite has this code. */
  async find(code: string): Promise<{ readonly teamId: string; readonly inviteId: string }> {
    const hash = codeHashOf(this.pepper, code);
    const row = await this.projections.find('invite_codes', async () => {
      const [found] = await this.database.query<{ team_id: string; invite_id: string }>(
        `SELECT team_id, invite_id FROM invite_codes WHERE code_hash = $1`,
        [hash],
      );
      return found;
    });
    if (!row) throw new Refused('invite.unknown');
    return { teamId: row.team_id, inviteId: row.invite_id };
  }
}
