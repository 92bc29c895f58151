import type { Context } from '@carillon/bus';
import { Log } from '@carillon/event-store';
import type { EventMetadata, Instant } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { app, type AppState, there } from './app';
import { appUrlClaim, claim, relationTo } from './url-claim';
import { asItStands } from './app-team';
import { AppTeams } from './teams.client';

export interface UrlClaimRequest {
  readonly urlKey: string;
  readonly appId: string;
  /** The account that added the app, or is adding it. */
  readonly accountId: string;
}

/** The app that holds the urlKey after a claim. */
export interface ClaimResult {
  readonly appId: string;
  readonly at: Instant;
  /** `ours`: the claiming app. Otherwise another app is there, is moving there (`coming`), or is about to be added. */
  readonly as: 'ours' | 'there' | 'coming' | 'to be added';
  /** The number of claims of the urlKey at that time. */
  readonly seen: number;
}

/** Keeps one app for each URL of an owner, also under concurrent requests. */
@Injectable()
export class AppUrlClaims {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AppTeams) private readonly teams: AppTeams,
  ) {}

  /** Claims the urlKey unless another app holds it or is about to. A removed or moved app holds nothing. */
  async claim(asked: UrlClaimRequest, context: Context, metadata: EventMetadata): Promise<ClaimResult> {
    const { urlKey, appId } = asked;
    for (;;) {
      const { state } = await this.log.load(appUrlClaim, urlKey);
      const at = this.clock.now();
      const seen = state?.claims ?? 0;
      if (state?.appId && state.appId !== appId) {
        const holder = await this.currentState(state.appId, context);
        const relation = relationTo(urlKey, state, holder, at);
        if (relation !== 'none') return { appId: state.appId, at: state.at, as: relation, seen };
      }
      if (await this.append({ ...asked, seen, at }, metadata))
        return { appId, at, as: 'ours', seen: seen + 1 };
    }
  }

  /** Releases the urlKey that the app does not take after all. A later claim stays. */
  async giveUp(
    { urlKey, accountId }: UrlClaimRequest,
    { seen }: ClaimResult,
    metadata: EventMetadata,
  ): Promise<void> {
    await this.append({ urlKey, accountId, appId: null, seen, at: this.clock.now() }, metadata);
  }

  /** Whether the claim was appended, with no other claim since `seen` was read. */
  private async append(
    asked: Parameters<typeof claim>[0],
    { commandId, ...metadata }: EventMetadata,
  ): Promise<boolean> {
    const { events } = await this.log.transact(appUrlClaim, asked.urlKey, claim(asked), {
      ...metadata,
      commandId: uuidV5(commandId, `${asked.appId} ${asked.seen}`),
    });
    return events.length > 0;
  }

  /** The current state of the app, with its membership checked. */
  private async currentState(appId: string, context: Context): Promise<AppState> {
    const { state } = await this.log.load(app, streamTail(appId));
    const found = there(state);
    if (!found || found.teamId === null) return state;
    return asItStands(found, await this.teams.find(found.teamId, found.addedBy, context));
  }
}
