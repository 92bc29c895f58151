import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, keepDays } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { memberOf, team } from '../../team/team';
import { isForgotten } from './forget';
import { type OncallPageFacts, page } from './page';

/** Finds pages by id, for members of their team. */
@Injectable()
export class Pages {
  private readonly keptDays = keepDays();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /** The page, from the log. Refused `page.unknown` unless the account is in its team. */
  async find(pageId: string, accountId: string): Promise<OncallPageFacts> {
    const { state } = await this.log.load(page, streamTail(pageId));
    if (state?.pageId !== pageId) throw new Refused('page.unknown');
    const { state: found } = await this.log.load(team, streamTail(state.teamId));
    if (!found || !memberOf(found, accountId)) throw new Refused('page.unknown');
    const { retentionDays } = found;
    if (isForgotten(state, { retentionDays, keepDays: this.keptDays }, this.clock.now()))
      throw new Refused('page.unknown');
    return state;
  }
}
