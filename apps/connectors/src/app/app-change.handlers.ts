import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type App as AppView, AppById, Apps, ChangeApp, type Ok, ShareApp } from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { metadataOf } from '@carillon/runtime';
import { uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type ViewedApp, insistOnChanger } from './access';
import { alone } from './app';
import { AppAccess } from './app-access.service';
import { AppUrlClaims } from './app-url-claims.service';
import { AppQuotas } from './app-quotas.service';
import { changeApp, removeApp, requestUrlClaim } from './change-app';
import { insistOnAdder, moveApp } from './move-app';
import { urlKeyOfApp } from './url-claim';
import { revokeConsent } from './revoke-consent';
import { AppViews } from './app-views.service';
import { type AppTeam, membershipIn } from './app-team';
import { AppTeams } from './teams.client';
import { urlKeyOf } from './url';

@Controller()
export class AppChangeHandlers {
  constructor(
    @Inject(Projections) private readonly projections: Projections,
    @Inject(AppAccess) private readonly access: AppAccess,
    @Inject(AppUrlClaims) private readonly claims: AppUrlClaims,
    @Inject(AppQuotas) private readonly apps: AppQuotas,
    @Inject(AppTeams) private readonly teams: AppTeams,
    @Inject(AppViews) private readonly appViews: AppViews,
  ) {}

  @Handles(Apps.change)
  async change({ id, ...changes }: ChangeApp, context: Context): Promise<Answer<{ app: AppView }>> {
    const found = await this.access.findToChange(id, context);
    insistOnChanger(found);
    if (changes.url !== undefined) {
      const { teamId, addedBy } = found.app;
      await this.claimUrl(urlKeyOf(teamId ?? addedBy, changes.url), found, context);
    }
    const decide = changeApp({ ...this.access.judged(found), changes });
    const decided = await this.access.decide(found, decide, context);
    return answer({ app: await this.appViews.changed(found, decided) }, decided.position);
  }

  @Handles(Apps.remove)
  async remove({ id }: AppById, context: Context): Promise<Answer<Ok>> {
    const found = await this.access.findToChange(id, context);
    insistOnChanger(found);
    const judged = this.access.judged(found);
    const { position } = await this.access.decide(found, removeApp(judged), context);
    const { addedBy: accountId } = found.app;
    await this.apps.quotas.release({ id, accountId, at: judged.at }, metadataOf(context, accountId));
    await this.projections.caughtUp('apps', position);
    return answer({ ok: true }, position);
  }

  @Handles(Apps.share)
  async share({ id, teamId, notify = true }: ShareApp, context: Context): Promise<Answer<{ app: AppView }>> {
    const found = await this.access.findToChange(id, context);
    const { accountId } = context.caller;
    // An unknown team is refused before anything else.
    const team = teamId === null ? null : await this.teamOf(teamId, context);
    insistOnAdder(found);
    const { url, addedBy } = found.app;
    await this.claimUrl(urlKeyOf(teamId ?? addedBy, url), found, context);
    const membership = team ? membershipIn(team, accountId) : alone;
    const decide = moveApp({ ...this.access.judged(found), teamId, membership, notify });
    const decided = await this.access.decide(found, decide, context);
    const viewer = { accountId, membership, role: team?.role ?? null };
    return answer({ app: await this.appViews.changed({ viewer, team }, decided) }, decided.position);
  }

  @Handles(Apps.revoke)
  async revoke({ id }: AppById, context: Context): Promise<Answer<{ app: AppView }>> {
    const found = await this.access.findToChange(id, context);
    const decide = revokeConsent({ ...this.access.judged(found), userId: context.caller.accountId });
    const decided = await this.access.decide(found, decide, context);
    return answer({ app: await this.appViews.changed(found, decided) }, decided.position);
  }

  /** Refused `team.not_found` when the caller is not a member. */
  private async teamOf(teamId: string, context: Context): Promise<AppTeam> {
    const team = await this.teams.find(teamId, context.caller.accountId, context);
    if (!team || team.role === null) throw new Refused('team.not_found');
    return team;
  }

  /** Claims the urlKey for the app. Refused `app.url_taken` when another app holds it. */
  private async claimUrl(urlKey: string, found: ViewedApp, context: Context): Promise<void> {
    if (urlKeyOfApp(found.app) === urlKey) return;
    const { id: appId, addedBy: accountId } = found.app;
    await this.access.decide(
      found,
      requestUrlClaim({ ...this.access.judged(found), urlKey }),
      context,
      'seeks a urlKey',
    );
    const metadata = metadataOf(context, accountId);
    const commandId = uuidV5(context.commandId, 'claims a urlKey');
    const { as } = await this.claims.claim({ urlKey, appId, accountId }, context, {
      ...metadata,
      commandId,
    });
    if (as !== 'ours') throw new Refused('app.url_taken');
  }
}
