import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type App as AppView,
  AppById,
  Apps,
  type AppSummary,
  ListApps,
  ListTeamApps,
  type ListPage,
} from '@carillon/contracts';
import { Projections } from '@carillon/event-store';
import { refusedAs, Refused } from '@carillon/eventing';
import { Controller, Inject } from '@nestjs/common';
import { AppAccess } from './app-access.service';
import { ListedApps } from './listed-apps.service';
import { AppTeams } from './teams.client';
import { AppViews } from './app-views.service';

@Controller()
export class AppReadHandlers {
  constructor(
    @Inject(Projections) private readonly projections: Projections,
    @Inject(AppAccess) private readonly access: AppAccess,
    @Inject(ListedApps) private readonly listed: ListedApps,
    @Inject(AppTeams) private readonly teams: AppTeams,
    @Inject(AppViews) private readonly appViews: AppViews,
  ) {}

  @Handles(Apps.list)
  async list(input: ListApps, context: Context): Promise<Answer<ListPage<AppView>>> {
    return answer(await this.listed.page(input, context));
  }

  @Handles(Apps.ofTeam)
  async ofTeam({ id, ...paged }: ListTeamApps, context: Context): Promise<Answer<ListPage<AppView>>> {
    const team = await this.teams.find(id, context.caller.accountId, context);
    if (!team || team.role === null) throw new Refused('team.unknown');
    return answer(await this.listed.page({ ...paged, teamId: id }, context));
  }

  @Handles(Apps.visible)
  async visible({ id }: AppById, context: Context): Promise<Answer<AppSummary>> {
    const { app } = await refusedAs('app.unknown', 'app.not_found', this.access.find(id, context));
    const { name, origin, iconUrl } = app;
    return answer({ id, name, origin, iconUrl });
  }

  @Handles(Apps.get)
  async get({ id }: AppById, context: Context): Promise<Answer<{ app: AppView }>> {
    const found = await this.access.find(id, context);
    await this.projections.reached('app_openings', context.after, context.caller.accountId);
    return answer({ app: await this.appViews.of(found) });
  }
}
