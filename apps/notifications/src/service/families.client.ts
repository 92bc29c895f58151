import { Bus, type Context } from '@carillon/bus';
import { Teams } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import type { Family } from './access';

/** What the teams service knows of families. */
@Injectable()
export class Families {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The family, as it is at this moment. Undefined when the account is not in it, or it is none. */
  async of(familyId: string, accountId: string, context: Context): Promise<Family | undefined> {
    try {
      const asked = { teamId: familyId, accountId };
      const { kind, role, memberIds } = (await this.bus.ask(Teams.standing, asked, context)).value;
      return kind === 'family' && role !== null ? { familyId, role, memberIds } : undefined;
    } catch (error) {
      if (error instanceof Refused && error.reason === 'team.unknown') return undefined;
      throw error;
    }
  }
}
