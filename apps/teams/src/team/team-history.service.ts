import type { TeamEvent } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { fold, type Recorded } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { team, type TeamState } from './team';

/** The team before and after an event of its stream. */
export interface States {
  readonly before: TeamState;
  readonly after: TeamState;
}

interface TeamAtRevision {
  readonly revision: bigint;
  readonly state: TeamState;
}

/** The state of a team at a revision of its stream. Reads nothing twice when called in the order of the log. */
@Injectable()
export class TeamHistory {
  private readonly known = new LRUCache<string, TeamAtRevision>({ max: 2_000 });

  constructor(@Inject(Log) private readonly log: Log) {}

  async around({ stream, revision, event }: Recorded<TeamEvent>): Promise<States> {
    const before = await this.upTo(stream, revision - 1n);
    const after = fold(team, [event], before);
    this.known.set(stream, { revision, state: after });
    return { before, after };
  }

  private async upTo(stream: string, revision: bigint): Promise<TeamState> {
    const known = this.known.get(stream);
    const from = known && known.revision <= revision ? known : { revision: -1n, state: team.initial };
    if (from.revision === revision) return from.state;
    const raw = await this.log.store.read(stream, from.revision + 1n, Number(revision - from.revision));
    const events = (await this.log.open(raw)).filter(
      (recorded): recorded is Recorded<TeamEvent> => recorded.unreadable !== 'all',
    );
    return fold(
      team,
      events.map(({ event }) => event),
      from.state,
    );
  }
}
