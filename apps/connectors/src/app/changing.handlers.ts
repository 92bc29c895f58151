import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type App as ShownApp, AppById, Apps, ChangeApp, type Ok, ShareApp } from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { metadataOf } from '@carillon/runtime';
import { uuidV5 } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Found, insistOnChanger } from './access';
import { alone } from './app';
import { AppAccess } from './app-access.service';
import { AppPlaces } from './app-places.service';
import { AppRooms } from './app-rooms.service';
import { changeApp, removeApp, seekPlace } from './change-app';
import { insistOnAdder, moveApp } from './move-app';
import { placeOfApp } from './place';
import { revokeConsent } from './revoke-consent';
import { ShownApps } from './shown-apps.service';
import { type AppTeam, membershipIn } from './standing';
import { AppTeams } from './teams.client';
import { placeOf } from './url';

@Controller()
export class ChangingHandlers {
  constructor(
    @Inject(Projections) private readonly projections: Projections,
    @Inject(AppAccess) private readonly access: AppAccess,
    @Inject(AppPlaces) private readonly places: AppPlaces,
    @Inject(AppRooms) private readonly apps: AppRooms,
    @Inject(AppTeams) private readonly teams: AppTeams,
    @Inject(ShownApps) private readonly shownApps: ShownApps,
  ) {}

  @Handles(Apps.change)
  async change({ id, ...changes }: ChangeApp, context: Context): Promise<Answer<{ app: ShownApp }>> {
    const found = await this.access.findToChange(id, context);
    insistOnChanger(found);
    if (changes.url !== undefined) {
      const { teamId, addedBy } = found.app;
      await this.comeTo(placeOf(teamId ?? addedBy, changes.url), found, context);
    }
    const decide = changeApp({ ...this.access.judged(found), changes });
    const decided = await this.access.decide(found, decide, context);
    return answer({ app: await this.shownApps.changed(found, decided) }, decided.position);
  }

  @Handles(Apps.remove)
  async remove({ id }: AppById, context: Context): Promise<Answer<Ok>> {
    const found = await this.access.findToChange(id, context);
    insistOnChanger(found);
    const judged = this.access.judged(found);
    const { position } = await this.access.decide(found, removeApp(judged), context);
    const { addedBy: accountId } = found.app;
    await this.apps.rooms.release({ id, accountId, at: judged.at }, metadataOf(context, accountId));
    await this.projections.caughtUp('apps', position);
    return answer({ ok: true }, position);
  }

  @Handles(Apps.share)
  async share({ id, teamId, notify = true }: ShareApp, context: Context): Promise<Answer<{ app: ShownApp }>> {
    const found = await this.access.findToChange(id, context);
    const { accountId } = context.caller;
    // Where there is no such team for who asks, that is told first.
    const team = teamId === null ? null : await this.teamOf(teamId, context);
    insistOnAdder(found);
    const { url, addedBy } = found.app;
    await this.comeTo(placeOf(teamId ?? addedBy, url), found, context);
    const membership = team ? membershipIn(team, accountId) : alone;
    const decide = moveApp({ ...this.access.judged(found), teamId, membership, notify });
    const decided = await this.access.decide(found, decide, context);
    const viewer = { accountId, membership, role: team?.role ?? null };
    return answer({ app: await this.shownApps.changed({ viewer, team }, decided) }, decided.position);
  }

  @Handles(Apps.revoke)
  async revoke({ id }: AppById, context: Context): Promise<Answer<{ app: ShownApp }>> {
    const found = await this.access.findToChange(id, context);
    const decide = revokeConsent({ ...this.access.judged(found), userId: context.caller.accountId });
    const decided = await this.access.decide(found, decide, context);
    return answer({ app: await this.shownApps.changed(found, decided) }, decided.position);
  }

  /** Refused `team.not_found` when who asks is not in it. */
  private async teamOf(teamId: string, context: Context): Promise<AppTeam> {
    const team = await this.teams.find(teamId, context.caller.accountId, context);
    if (!team || team.role === null) throw new Refused('team.not_found');
    return team;
  }

  /** Sees to it that the app may stand at this place. Refused `app.url_taken` when another does. */
  private async comeTo(place: string, found: Found, context: Context): Promise<void> {
    if (placeOfApp(found.app) === place) return;
    const { id: appId, addedBy: accountId } = found.app;
    await this.access.decide(
      found,
      seekPlace({ ...this.access.judged(found), place }),
      context,
      'seeks a place',
    );
    const metadata = metadataOf(context, accountId);
    const commandId = uuidV5(context.commandId, 'claims a place');
    const { as } = await this.places.claim({ place, appId, accountId }, context, { ...metadata, commandId });
    if (as !== 'ours') throw new Refused('app.url_taken');
  }
}
