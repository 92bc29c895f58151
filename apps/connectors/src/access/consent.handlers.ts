import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type App as AppView, ChangeDisclosure, Consents, GiveConsent } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Inject } from '@nestjs/common';
import type { ViewedApp } from '../app/access';
import { AppAccess } from '../app/app-access.service';
import { AppViews } from '../app/app-views.service';
import { changeDisclosure, giveConsent } from './consent';

/** What a person agrees to. No token reaches this: the edge lets only sessions in. */
@Controller()
export class ConsentHandlers {
  constructor(
    @Inject(AppAccess) private readonly access: AppAccess,
    @Inject(AppViews) private readonly appViews: AppViews,
  ) {}

  @Handles(Consents.give)
  async give(
    { id, shareName, shareEmail }: GiveConsent,
    context: Context,
  ): Promise<Answer<{ app: AppView }>> {
    const found = await this.access.findToChange(id, context);
    const { viewer } = found;
    const decide = giveConsent({ ...this.access.judged(found), viewer, shareName, shareEmail });
    return this.shown(found, await this.access.decide(found, decide, context));
  }

  @Handles(Consents.change)
  async change({ id, ...disclosure }: ChangeDisclosure, context: Context): Promise<Answer<{ app: AppView }>> {
    if (Object.keys(disclosure).length === 0) throw new Refused('input.empty_update');
    const found = await this.access.findToChange(id, context);
    const { viewer } = found;
    const decide = changeDisclosure({ ...this.access.judged(found), viewer, ...disclosure });
    return this.shown(found, await this.access.decide(found, decide, context));
  }

  private async shown(
    found: ViewedApp,
    decided: Awaited<ReturnType<AppAccess['decide']>>,
  ): Promise<Answer<{ app: AppView }>> {
    return answer({ app: await this.appViews.changed(found, decided) }, decided.position);
  }
}
