import { answer, type Answer, type Context, createOnce, insistOnSameUse } from '@carillon/bus';
import type { TeamEvent } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Decide, type Instant, plus, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { keyLifetimeMs, madeAs } from './made';
import { team, type TeamState } from './team';

/** An object to create, and how to show it. */
export interface Making<Shown> {
  readonly teamId: string;
  /** The prefix of the id. */
  readonly prefix: string;
  /** The route. Idempotency keys are separate for each route. */
  readonly subject: string;
  decide(made: {
    readonly id: string;
    readonly fingerprint: string | null;
    readonly at: Instant;
  }): Decide<TeamState, TeamEvent> | Promise<Decide<TeamState, TeamEvent>>;
  shown(state: TeamState, id: string, position: bigint): Promise<Shown>;
}

/** Creates objects in teams, one for each idempotency key. */
@Injectable()
export class Makings {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  /** Refused `idempotency.key_reused` if the key was used for another request. */
  async make<Shown>(
    { teamId, prefix, subject, decide, shown }: Making<Shown>,
    context: Context,
  ): Promise<Answer<Shown & { readonly idempotent?: true }>> {
    const { accountId, tokenId = '' } = context.caller;
    const tail = streamTail(teamId);
    return createOnce(context, {
      idOf: (...parts) => deriveId(prefix, this.clock.ms(), subject, accountId, tokenId, ...parts),
      attempt: async (id) => {
        const at = this.clock.now();
        await this.insistOnSameRequest(id, at, context);
        const decided = await decide({ id, fingerprint: context.idempotency?.fingerprint ?? null, at });
        const { state, events, position } = await this.log.transact(
          team,
          tail,
          (found) => {
            insistOnSameUse(madeAs(found, id)?.at, at);
            return decided(found);
          },
          metadataOf(context, teamId),
        );
        const made = await shown(state, madeAs(state, id)?.id ?? id, position);
        return answer({ ...made, ...(events.length === 0 && { idempotent: true as const }) }, position);
      },
      exists: async (id) => madeAs((await this.log.load(team, tail)).state, id) !== undefined,
    });
  }

  /** Requires that the key was not used in another team. Within a team, the team's decision checks the key. */
  private async insistOnSameRequest(id: string, at: Instant, { idempotency, after }: Context): Promise<void> {
    if (!idempotency) return;
    await this.projections.reached('device_groups', after);
    const [other] = await this.database.query(
      `SELECT FROM keyed_groups WHERE tail = $1 AND fingerprint <> $2 AND made_at > $3`,
      [streamTail(id), idempotency.fingerprint, plus(at, -keyLifetimeMs)],
    );
    if (other) throw new Refused('idempotency.key_reused');
  }
}
