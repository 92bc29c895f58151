import type { Log } from '@carillon/event-store';
import type { EventMetadata, Instant } from '@carillon/eventing';
import { type Logger, Quotas } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { type Team, team } from './team';

export interface TeamSlot {
  readonly accountId: string;
  readonly teamId: string;
  readonly at: Instant;
}

export interface TeamQuotaOptions {
  readonly kind: string;
  readonly max: number;
  /** Whether the account still has the role in the team that needs the slot. */
  readonly needs: (team: Team, accountId: string) => boolean;
}

/** Limits in how many teams an account has a role. The streams of the teams decide whether a slot is still needed. */
export class TeamQuotas {
  private readonly quotas: Quotas;

  constructor(
    private readonly log: Log,
    logger: Logger,
    private readonly options: TeamQuotaOptions,
  ) {
    const { kind, max } = options;
    this.quotas = new Quotas(
      log,
      {
        kind,
        max,
        renews: true,
        before: () => Promise.resolve([]),
        missing: async (teamIds, accountId) => {
          const over = await Promise.all(teamIds.map((teamId) => this.isOver(teamId, accountId)));
          return teamIds.filter((_, index) => over[index]);
        },
      },
      logger,
    );
  }

  /** Reserves the slot before the account gets the role. Refused `resource.limit_reached`. */
  async take({ accountId, teamId, at }: TeamSlot, metadata: EventMetadata): Promise<void> {
    await this.quotas.reserve({ accountId, id: teamId, at }, metadata);
  }

  /** Releases the slot unless the account still needs it. */
  async release({ accountId, teamId, at }: TeamSlot, metadata: EventMetadata): Promise<void> {
    const isOver = (): Promise<boolean> => this.isOver(teamId, accountId);
    await this.quotas.releaseIf(isOver, { accountId, id: teamId, at }, metadata);
  }

  private async isOver(teamId: string, accountId: string): Promise<boolean> {
    const { state } = await this.log.load(team, streamTail(teamId));
    return state?.teamId !== teamId || !this.options.needs(state, accountId);
  }
}
