import type { Context } from '@carillon/bus';
import { refusedAs, Refused } from '@carillon/eventing';
import { Inject, Injectable } from '@nestjs/common';
import type { App } from '../app/app';
import { AppAccess } from '../app/app-access.service';
import { type ConnectorOwner, serves } from './serves';

/** The web apps that routes name. */
@Injectable()
export class ServedApps {
  constructor(@Inject(AppAccess) private readonly access: AppAccess) {}

  /** Refused `app.not_found` unless each app exists and such a connector serves it. */
  async insistOn(appIds: readonly string[], owner: ConnectorOwner, context: Context): Promise<void> {
    for (const appId of new Set(appIds))
      if (!serves(owner, await this.named(appId, context))) throw new Refused('app.not_found');
  }

  private async named(appId: string, context: Context): Promise<App> {
    return (await refusedAs('app.unknown', 'app.not_found', this.access.find(appId, context))).app;
  }
}
