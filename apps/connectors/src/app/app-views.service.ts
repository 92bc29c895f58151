import { createHmac } from 'node:crypto';
import type { App as AppView } from '@carillon/contracts';
import { Database, Projections } from '@carillon/event-store';
import { secret } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { again, type ViewedApp } from './access';
import type { AppState } from './app';
import { appView } from './view';

/** Apps as the API shows them. */
@Injectable()
export class AppViews {
  private readonly scopeKey = createHmac('sha256', secret('CARILLON_PEPPER'))
    .update('storage scope of apps')
    .digest();

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
  ) {}

  async of(found: ViewedApp): Promise<AppView> {
    const [shown] = await this.all([found]);
    if (!shown) throw new Error('An app was not shown');
    return shown;
  }

  /** The app after a decision, as soon as lists have the change too. */
  async changed(
    found: Pick<ViewedApp, 'viewer' | 'team'>,
    { state, position }: { readonly state: AppState; readonly position: bigint },
  ): Promise<AppView> {
    await this.projections.caughtUp('apps', position);
    return this.of(again(found, state));
  }

  /** A read has waited for current rows already; the answer to a change uses the rows that there are. */
  async all(found: readonly ViewedApp[]): Promise<AppView[]> {
    const rows = await this.database.query<{ app_id: string; account_id: string; opened_at: Date }>(
      `SELECT app_id, account_id, opened_at FROM app_openings WHERE app_id = ANY($1) AND account_id = ANY($2)`,
      [found.map(({ app }) => app.id), [...new Set(found.map(({ viewer }) => viewer.accountId))]],
    );
    const keyOf = (appId: string, accountId: string): string => `${appId} ${accountId}`;
    const opened = new Map(
      rows.map((row) => [keyOf(row.app_id, row.account_id), row.opened_at.toISOString()]),
    );
    return found.map((each) =>
      appView(this.scopeKey, each, opened.get(keyOf(each.app.id, each.viewer.accountId)) ?? null),
    );
  }
}
