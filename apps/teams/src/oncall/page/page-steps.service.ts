import type { Context } from '@carillon/bus';
import type { PageEvent } from '@carillon/contracts';
import { Log, type Transacted } from '@carillon/event-store';
import type { Decide, EventMetadata, Instant } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { escalate, type Escalating, runDue, runUnreached } from './escalate';
import { takeFromLeaver } from './leaver';
import { type OncallPageFacts, page, type PageState } from './page';
import { resolve } from './resolve';
import type { Roster } from './roster';
import { type Gone, Rosters } from './rosters.service';

export type PageRef = Pick<OncallPageFacts, 'pageId' | 'groupId' | 'teamId'>;

type Stepped = Promise<Transacted<PageState, PageEvent>>;

/** Runs the next steps of pages by the current rotation. A page of a deleted group is resolved instead. */
@Injectable()
export class PageSteps {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Rosters) private readonly rosters: Rosters,
  ) {}

  runDue(of: PageRef, step: number, metadata: EventMetadata, context: Context): Stepped {
    return this.step(of, (roster, at) => runDue({ step, roster, at }), metadata, context);
  }

  runUnreached(of: PageRef, step: number, metadata: EventMetadata, context: Context): Stepped {
    return this.step(of, (roster, at) => runUnreached({ step, roster, at }), metadata, context);
  }

  escalate(
    of: PageRef,
    seen: Pick<Escalating, 'asked' | 'seen'>,
    metadata: EventMetadata,
    context: Context,
  ): Stepped {
    const { commandId: requestId, caller } = context;
    return this.step(
      of,
      (roster, at) => escalate({ ...seen, roster, at, by: caller.accountId, requestId }),
      metadata,
      context,
    );
  }

  /** Does nothing for an account that is back in the team. */
  async takeFromLeaver(
    of: PageRef,
    accountId: string,
    metadata: EventMetadata,
    context: Context,
  ): Promise<void> {
    if (await this.rosters.hasMember(of.teamId, accountId)) return;
    await this.step(of, (roster, at) => takeFromLeaver({ accountId, roster, at }), metadata, context);
  }

  close(of: PageRef, reason: Gone, metadata: EventMetadata): Stepped {
    return this.transact(of, closing(reason, this.clock.now()), metadata);
  }

  private async step(
    of: PageRef,
    decide: (roster: Roster, at: Instant) => Decide<PageState, PageEvent>,
    metadata: EventMetadata,
    context: Context,
  ): Stepped {
    const at = this.clock.now();
    const roster = await this.rosters.find(of, at, context);
    if (typeof roster === 'string') return this.transact(of, closing(roster, at), metadata);
    return this.transact(of, decide(roster, at), metadata);
  }

  private transact(
    { pageId }: PageRef,
    decide: Decide<PageState, PageEvent>,
    metadata: EventMetadata,
  ): Stepped {
    return this.log.transact(page, streamTail(pageId), decide, metadata);
  }
}

const closing = (reason: Gone, at: Instant): Decide<PageState, PageEvent> =>
  resolve({ by: null, tokenId: null, reason, note: null, at });
