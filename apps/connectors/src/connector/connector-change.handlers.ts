import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  ChangeConnector,
  type Connector as Shown,
  type ConnectorDuty,
  Connectors,
  type ConnectorWithSecret,
  RotateConnectorSecret,
} from '@carillon/contracts';
import { KeyRing } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { change, rotate } from './change';
import { type ConnectorFacts, existing } from './connector';
import { ConnectorAccess } from './connector-access.service';
import { Heartbeats } from './heartbeats.service';
import { appsOf, routesOf } from './routes';
import { secretFrom } from './secrets';
import { ServedApps } from './served-apps.service';
import { connectorView } from './view';
import { Teams } from './teams.client';

@Controller()
export class ConnectorChangeHandlers {
  constructor(
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(Teams) private readonly teams: Teams,
    @Inject(ServedApps) private readonly apps: ServedApps,
    @Inject(ConnectorAccess) private readonly access: ConnectorAccess,
    @Inject(Heartbeats) private readonly heartbeats: Heartbeats,
  ) {}

  @Handles(Connectors.change)
  async change(
    { id, routes: given, oncallGroupId, ...plain }: ChangeConnector,
    context: Context,
  ): Promise<Answer<{ connector: Shown }>> {
    const { asked, found } = await this.access.find(id, context);
    const routes = given && routesOf(given, found.hostname);
    // An app that it names already may be gone since: that is no reason not to rename a route.
    const known = new Set(appsOf(found.routes));
    const news = appsOf(routes ?? []).filter((appId) => !known.has(appId));
    await this.apps.insistOn(news, found, context);
    const changes = {
      ...plain,
      ...(routes && { routes }),
      ...(oncallGroupId !== undefined && { oncall: await this.dutyOf(oncallGroupId, found, context) }),
    };
    const { state, position } = await this.access.decide(change({ ...asked, changes }), found, context);
    const changed = existing(state);
    return answer(
      { connector: connectorView(changed, await this.heartbeats.lastSeenAt(changed), asked.at) },
      position,
    );
  }

  @Handles(Connectors.rotate)
  async rotate(
    { id, revokeOld = false }: RotateConnectorSecret,
    context: Context,
  ): Promise<Answer<ConnectorWithSecret>> {
    const { asked, found } = await this.access.find(id, context);
    const { secret, sealedSecret } = secretFrom(this.ring, id, randomBytes(32));
    const { state, position } = await this.access.decide(
      rotate({ ...asked, sealedSecret, revokeOld }),
      found,
      context,
    );
    const changed = existing(state);
    return answer(
      {
        connector: connectorView(changed, await this.heartbeats.lastSeenAt(changed), asked.at),
        callbackSecret: secret,
      },
      position,
    );
  }

  private async dutyOf(
    groupId: string | null,
    { oncall, teamId }: ConnectorFacts,
    context: Context,
  ): Promise<ConnectorDuty | null> {
    if (groupId === null) return null;
    if (oncall?.groupId === groupId) return oncall;
    return this.teams.duty(groupId, teamId, context);
  }
}
