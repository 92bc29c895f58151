import type { Context } from '@carillon/bus';
import { Log } from '@carillon/event-store';
import type { EventMetadata, Instant } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { streamTail, uuidV5 } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { app, type AppState, there } from './app';
import { appUrlClaim, claim, relationTo } from './url-claim';
import { asItStands } from './standing';
import { AppTeams } from './teams.client';

export interface UrlClaimRequest {
  readonly urlKey: string;
  readonly appId: string;
  /** Who added the app, or is about to. */
  readonly accountId: string;
}

/** Who has the urlKey after a claim. */
export interface ClaimResult {
  readonly appId: string;
  readonly at: Instant;
  /** `ours`: the app that it was claimed for. Another is there, is about to come, or is about to be added there. */
  readonly as: 'ours' | 'there' | 'coming' | 'to be added';
  /** How often it had been claimed. */
  readonly seen: number;
}

/** One app for each URL of an owner, whoever asks at once. */
@Injectable()
export class AppUrlClaims {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(AppTeams) private readonly teams: AppTeams,
  ) {}

  /** Claims it for an app, unless another has it or is about to. What is gone or stands elsewhere holds nothing. */
  async claim(asked: UrlClaimRequest, context: Context, metadata: EventMetadata): Promise<ClaimResult> {
    const { urlKey: urlKey, appId } = asked;
    for (;;) {
      const { state } = await this.log.load(appUrlClaim, urlKey);
      const at = this.clock.now();
      const seen = state?.claims ?? 0;
      if (state?.appId && state.appId !== appId) {
        const holder = await this.standing(state.appId, context);
        const relation = relationTo(urlKey, state, holder, at);
        if (relation !== 'none') return { appId: state.appId, at: state.at, as: relation, seen };
      }
      if (await this.append({ ...asked, seen, at }, metadata))
        return { appId, at, as: 'ours', seen: seen + 1 };
    }
  }

  /** Nothing comes there after all. Whoever has claimed it since keeps it. */
  async giveUp(
    { urlKey: urlKey, accountId }: UrlClaimRequest,
    { seen }: ClaimResult,
    metadata: EventMetadata,
  ): Promise<void> {
    await this.append({ urlKey: urlKey, accountId, appId: null, seen, at: this.clock.now() }, metadata);
  }

  /** Whether it was the first to claim it since who had it was looked for. */
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

  /** The app as it stands at this moment. */
  private async standing(appId: string, context: Context): Promise<AppState> {
    const { state } = await this.log.load(app, streamTail(appId));
    const found = there(state);
    if (!found || found.teamId === null) return state;
    return asItStands(found, await this.teams.find(found.teamId, found.addedBy, context));
  }
}
