import { Bus, type Context } from '@carillon/bus';
import { Oncall } from '@carillon/contracts';
import { refusedAs, unless } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';

/** Reads the on-call groups of the caller's teams from the teams service. */
@Injectable()
export class OncallGroups {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** Refused `oncall_group.not_found` unless the caller may page the group. */
  async insistOn(groupId: string | null | undefined, context: Context): Promise<void> {
    if (groupId === null || groupId === undefined) return;
    const asked = this.bus.ask(Oncall.get, { groupId }, context);
    await refusedAs('oncall_group.unknown', 'oncall_group.not_found', asked);
  }

  async mayPage(groupId: string, context: Context): Promise<boolean> {
    return (
      (await unless(
        'oncall_group.not_found',
        this.insistOn(groupId, context).then(() => true),
      )) ?? false
    );
  }
}
