import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { AddApp, type AddedApp, Apps } from '@carillon/contracts';
import { Log, Projections } from '@carillon/event-store';
import { Refused, unless } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { asViewer } from './access';
import { addApp } from './add-app';
import { app } from './app';
import { AppAccess } from './app-access.service';
import { AppUrlClaims, type ClaimResult } from './app-url-claims.service';
import { AppQuotas } from './app-quotas.service';
import { changeApp } from './change-app';
import { urlKeyOfApp } from './url-claim';
import { AppViews } from './app-views.service';
import { urlKeyOf } from './url';

/** Maximum of attempts: the app that holds the urlKey may be removed before the handler updates it. */
const tries = 5;

/** Adds apps: one for each URL of an account, also under concurrent requests. */
@Controller()
export class AppAddHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(AppUrlClaims) private readonly claims: AppUrlClaims,
    @Inject(AppQuotas) private readonly apps: AppQuotas,
    @Inject(AppAccess) private readonly access: AppAccess,
    @Inject(AppViews) private readonly appViews: AppViews,
  ) {}

  @Handles(Apps.add)
  async add(input: AddApp, context: Context): Promise<Answer<AddedApp>> {
    for (let tried = 0; tried < tries; tried += 1) {
      const done = await this.attempt(input, context);
      if (done) return done;
    }
    throw new Refused('stream.concurrent_update');
  }

  /** Undefined when the app that held the urlKey was gone before it could be updated. */
  private async attempt(input: AddApp, context: Context): Promise<Answer<AddedApp> | undefined> {
    const { accountId } = context.caller;
    const urlKey = urlKeyOf(accountId, input.url);
    const claimFor = (appId: string): Promise<ClaimResult> =>
      this.claims.claim({ urlKey, appId, accountId }, context, metadataOf(context));
    let claimed = await claimFor(newId('app', this.clock.ms()));
    // Another request is adding the app and may have died: this one completes it under the same id.
    if (claimed.as === 'to be added') claimed = await claimFor(claimed.appId);
    if (claimed.as === 'coming') throw new Refused('stream.concurrent_update');
    const made = claimed.as === 'ours' ? await this.make(claimed, urlKey, input, context) : undefined;
    return made ?? unless('app.unknown', this.update(claimed.appId, urlKey, input, context));
  }

  /** Undefined when a concurrent request has added the app. */
  private async make(
    claimed: ClaimResult,
    urlKey: string,
    input: AddApp,
    context: Context,
  ): Promise<Answer<AddedApp> | undefined> {
    const { accountId } = context.caller;
    const { appId: id, at: claimedAt } = claimed;
    try {
      await this.apps.quotas.reserve({ accountId, id, at: this.clock.now() }, metadataOf(context));
    } catch (error) {
      await this.claims.giveUp({ urlKey, appId: id, accountId }, claimed, metadataOf(context));
      throw error;
    }
    const { state, events, position } = await this.log.transact(
      app,
      streamTail(id),
      addApp({ ...input, id, accountId, claimedAt, at: this.clock.now() }),
      metadataOf(context),
      { expectNew: true },
    );
    if (events.length === 0) return undefined;
    await this.projections.caughtUp('apps', position);
    const found = asViewer(state, undefined, { id, accountId });
    return answer({ app: await this.appViews.of(found), created: true }, position);
  }

  private async update(
    id: string,
    urlKey: string,
    { name, iconUrl, projectId, projectName }: AddApp,
    context: Context,
  ): Promise<Answer<AddedApp> | undefined> {
    const found = await this.access.findToChange(id, context);
    if (urlKeyOfApp(found.app) !== urlKey) return undefined;
    const changes = {
      name,
      ...(iconUrl !== undefined && { iconUrl }),
      ...(projectId !== undefined && { projectId }),
      ...(projectName !== undefined && { projectName }),
    };
    const decide = changeApp({ ...this.access.judged(found), changes });
    const decided = await this.access.decide(found, decide, context);
    return answer({ app: await this.appViews.changed(found, decided), created: false }, decided.position);
  }
}
