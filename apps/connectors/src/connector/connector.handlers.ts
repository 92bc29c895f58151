import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ConnectorById,
  Connectors,
  type ConnectorWithSecret,
  type Ok,
  RegisterConnector,
} from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Slot, Refused } from '@carillon/eventing';
import { Clock, type Logger, LOGGER, metadataOf, Quotas } from '@carillon/runtime';
import { KeyRing, newId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { remove } from './change';
import { connector, existing, isThere } from './connector';
import { ConnectorAccess, keyOwner } from './connector-access.service';
import { hostnameOf } from './hostname';
import { Hostnames } from './hostnames.service';
import { register } from './register';
import { appsOf, routesOf } from './routes';
import { secretFrom } from './secrets';
import { ServedApps } from './served-apps.service';
import { connectorView } from './view';
import { Teams } from './teams.client';

/** Maximum of connectors that an account may register. */
const maxConnectors = 50;

/** Registers and removes connectors, with their quota slots and hostnames. */
@Controller()
export class ConnectorHandlers {
  private readonly quotas: Quotas;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) projections: Projections,
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(Teams) private readonly teams: Teams,
    @Inject(ServedApps) private readonly apps: ServedApps,
    @Inject(Hostnames) private readonly hostnames: Hostnames,
    @Inject(ConnectorAccess) private readonly access: ConnectorAccess,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.quotas = Quotas.byRows(
      log,
      projections,
      {
        kind: 'connector',
        max: maxConnectors,
        projection: 'connectors',
        decider: connector,
        slots: (accountId) => this.slotsOf(accountId),
        isOver: (state) => !isThere(state),
      },
      logger,
    );
  }

  @Handles(Connectors.register)
  async register(input: RegisterConnector, context: Context): Promise<Answer<ConnectorWithSecret>> {
    const { name, tunnelId, teamId = null, oncallGroupId = null, enabled = true } = input;
    const { accountId } = context.caller;
    const hostname = hostnameOf(input.hostname);
    const routes = routesOf(input.routes ?? [], hostname);
    if (teamId !== null) await this.teams.insistOnAdmin(teamId, context);
    const oncall = oncallGroupId === null ? null : await this.teams.duty(oncallGroupId, teamId, context);
    await this.apps.insistOn(appsOf(routes), { accountId, teamId }, context);
    if (await this.hostnames.find(hostname)) throw new Refused('hostname.taken');
    const id = newId('con', this.clock.ms());
    const at = this.clock.now();
    const { secret, sealedSecret } = secretFrom(this.ring, id, randomBytes(32));
    const owner = { id, accountId, teamId };
    const metadata = metadataOf(context, keyOwner(owner));
    await this.quotas.reserve({ accountId, id, at }, metadataOf(context));
    try {
      await this.hostnames.claim(hostname, { ...owner, at }, metadata);
      const { state, position } = await this.log.transact(
        connector,
        streamTail(id),
        register({ ...owner, name, tunnelId, hostname, routes, enabled, oncall, sealedSecret, at }),
        metadata,
        { expectNew: true },
      );
      return answer(
        { connector: connectorView(existing(state), null, at), callbackSecret: secret },
        position,
      );
    } catch (error) {
      if (error instanceof Refused && error.reason === 'hostname.taken')
        await this.quotas.release({ accountId, id, at }, metadataOf(context));
      throw error;
    }
  }

  @Handles(Connectors.remove)
  async remove({ id }: ConnectorById, context: Context): Promise<Answer<Ok>> {
    const { asked, found } = await this.access.find(id, context);
    const { position } = await this.access.decide(remove(asked), found, context);
    const { accountId } = found;
    await this.quotas.release({ id, accountId, at: asked.at }, metadataOf(context, accountId));
    return answer({ ok: true }, position);
  }

  private async slotsOf(accountId: string): Promise<readonly Slot[]> {
    const rows = await this.database.query<{ connector_id: string; created_at: Date }>(
      `SELECT connector_id, created_at FROM connectors WHERE account_id = $1`,
      [accountId],
    );
    return rows.map((row) => ({ id: row.connector_id, takenAt: row.created_at.toISOString(), until: null }));
  }
}
