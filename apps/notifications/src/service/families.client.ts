import { Bus, type Context } from '@carillon/bus';
import { Teams } from '@carillon/contracts';
import { unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import type { Family } from './access';

/** Reads families from the teams service. */
@Injectable()
export class Families {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The family, as it is at this moment. Undefined when the account is not in it, or it is none. */
  async of(familyId: string, accountId: string, context: Context): Promise<Family | undefined> {
    const asked = this.bus.ask(Teams.membership, { teamId: familyId, accountId }, context);
    const answered = await unless('team.unknown', asked);
    if (!answered) return undefined;
    const { kind, role, memberIds } = answered.value;
    return kind === 'family' && role !== null ? { familyId, role, memberIds } : undefined;
  }
}
