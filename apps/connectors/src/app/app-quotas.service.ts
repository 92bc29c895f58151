import { Database, Log, Projections } from '@carillon/event-store';
import { type Logger, LOGGER, Quotas } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { app, there } from './app';

/** Maximum of apps that an account has added, including those it moved into teams. */
const maxApps = 200;

/** The quota of apps that an account may add. */
@Injectable()
export class AppQuotas {
  readonly quotas: Quotas;

  constructor(
    @Inject(Database) database: Database,
    @Inject(Projections) projections: Projections,
    @Inject(Log) log: Log,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.quotas = Quotas.byRows(
      log,
      projections,
      {
        kind: 'app',
        max: maxApps,
        projection: 'apps',
        decider: app,
        slots: async (accountId) => {
          const rows = await database.query<{ app_id: string; added_at: Date }>(
            `SELECT app_id, added_at FROM apps WHERE added_by = $1`,
            [accountId],
          );
          return rows.map((row) => ({ id: row.app_id, takenAt: row.added_at.toISOString(), until: null }));
        },
        isOver: (state) => !there(state),
      },
      logger,
    );
  }
}
