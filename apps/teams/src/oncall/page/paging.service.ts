import type { Context } from '@carillon/bus';
import type { RaisePage } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { millis, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { OncallGroup } from '../../team/oncall';
import { isOpen, type OncallPageFacts, page } from './page';
import { claim, keyTail, pageKey } from './page-key';
import { emptyRoster, type Roster } from './roster';
import { PageReserve } from './reserve.client';
import { Rosters } from './rosters.service';
import { trigger } from './trigger';

/** A page to be raised for a group of a team. */
export interface Paged extends Omit<RaisePage, 'groupId'> {
  readonly teamId: string;
  readonly group: OncallGroup;
}

export interface Paging {
  readonly page: OncallPageFacts;
  /** False when an open page absorbed the request. */
  readonly created: boolean;
  readonly position: bigint;
}

/** When the request that claimed a key created no page within this time, another request creates it. */
const claimHoldsMs = 2_000;
const pauseMs = 50;

/** Creates pages: at most one open page per key, also with concurrent requests and after crashes. */
@Injectable()
export class PagingService {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Rosters) private readonly rosters: Rosters,
    @Inject(PageReserve) private readonly reserve: PageReserve,
  ) {}

  /** Refused `page.too_many` when the reserve is used up and no open page absorbs the request. */
  async page(paged: Paged, context: Context): Promise<Paging> {
    const { dedupKey, group } = paged;
    if (dedupKey !== undefined) return this.pageByKey({ ...paged, dedupKey }, context);
    const pageId = this.newId(context, group.groupId);
    const made = context.again ? await this.answered(pageId, context) : undefined;
    if (made) return made;
    await this.reserve.take(context);
    return this.create(pageId, paged, context);
  }

  /** Concurrent requests with one key get the same page: the first creates it, and it absorbs the others. */
  private async pageByKey(paged: Paged & { dedupKey: string }, context: Context): Promise<Paging> {
    const { groupId } = paged.group;
    const key = keyTail(groupId, paged.dedupKey);
    while (Date.now() < context.deadline) {
      const { state: claimed } = await this.log.load(pageKey, key);
      const loaded = claimed && (await this.log.load(page, streamTail(claimed.pageId)));
      const named = loaded?.state ?? null;
      // Only a page that was claimed and never created is created again, not one that was forgotten or deleted.
      const isUnmade = loaded !== null && loaded.revision === undefined && !loaded.isDeleted;
      if (named && (isOpen(named) || named.requests.includes(context.commandId))) {
        const absorbed = await this.append(named.pageId, paged, emptyRoster, context);
        if (isOpen(absorbed.page) || absorbed.page.requests.includes(context.commandId)) return absorbed;
        continue;
      }
      const isFresh = claimed && this.clock.ms() - millis(claimed.at) < claimHoldsMs;
      if (isUnmade && isFresh) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random())));
        continue;
      }
      const pageId =
        claimed && isUnmade
          ? claimed.pageId
          : await this.claim(key, { groupId, insteadOf: claimed?.pageId ?? null, paged, context });
      if (pageId === undefined) continue;
      try {
        await this.reserve.take(context);
      } catch (error) {
        if (isOpen((await this.log.load(page, streamTail(pageId))).state)) continue;
        throw error;
      }
      const made = await this.create(pageId, paged, context);
      if (isOpen(made.page)) return made;
    }
    throw new Refused('stream.concurrent_update');
  }

  /** Claims the key for a new page id; undefined when another request claimed it first. */
  private async claim(
    key: string,
    asked: { groupId: string; insteadOf: string | null; paged: Paged; context: Context },
  ): Promise<string | undefined> {
    const { groupId, insteadOf, paged, context } = asked;
    const pageId = this.newId(context, groupId, key, insteadOf ?? '');
    const metadata = metadataOf(context, paged.teamId);
    const { state } = await this.log.transact(
      pageKey,
      key,
      claim({ groupId, pageId, insteadOf, at: this.clock.now() }),
      { ...metadata, commandId: uuidV5(metadata.commandId, pageId) },
    );
    return state?.pageId === pageId ? pageId : undefined;
  }

  private async create(pageId: string, paged: Paged, context: Context): Promise<Paging> {
    return this.append(pageId, paged, await this.rosters.of(paged.group, this.clock.now(), context), context);
  }

  private async append(pageId: string, paged: Paged, roster: Roster, context: Context): Promise<Paging> {
    const { teamId, group, title, body, url, appId, dedupKey, source } = paged;
    const { commandId, caller } = context;
    const at = this.clock.now();
    const { state, position } = await this.log.transact(
      page,
      streamTail(pageId),
      trigger({
        pageId,
        groupId: group.groupId,
        teamId,
        groupName: group.name,
        title,
        body: body ?? null,
        url: url ?? null,
        appId: appId ?? null,
        dedupKey: dedupKey ?? null,
        source,
        escalation: group.escalation,
        byAccountId: caller.accountId || null,
        tokenId: caller.tokenId ?? null,
        requestId: commandId,
        roster,
        at,
      }),
      metadataOf(context, teamId),
    );
    if (!state) throw new Error('A page was made without a trace');
    return { page: state, created: state.requestId === commandId, position };
  }

  private async answered(pageId: string, { commandId }: Context): Promise<Paging | undefined> {
    const { state, position = 0n } = await this.log.load(page, streamTail(pageId));
    return state?.requests.includes(commandId)
      ? { page: state, created: state.requestId === commandId, position }
      : undefined;
  }

  /** Derives the id from the command, so that a repeated command finds its page. */
  private newId({ commandId }: Context, ...parts: readonly string[]): string {
    return deriveId('page', this.clock.ms(), 'teams.page', commandId, ...parts);
  }
}
