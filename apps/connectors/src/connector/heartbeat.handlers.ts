import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { type Beaten, Connectors, Heartbeat, heartbeatIntervalSeconds } from '@carillon/contracts';
import { Controller, Inject } from '@nestjs/common';
import { existing } from './connector';
import { ConnectorAccess } from './connector-access.service';
import { beat } from './heartbeat';
import { Heartbeats, laterOf } from './heartbeats.service';
import { connectorView } from './view';

@Controller()
export class HeartbeatHandlers {
  constructor(
    @Inject(ConnectorAccess) private readonly access: ConnectorAccess,
    @Inject(Heartbeats) private readonly heartbeats: Heartbeats,
  ) {}

  @Handles(Connectors.heartbeat)
  async beat({ id, agentVersion, routes }: Heartbeat, context: Context): Promise<Answer<Beaten>> {
    const { asked, found } = await this.access.find(id, context);
    // The row first: the watch reads it again after it has marked the connector as offline.
    const seenAt = await this.heartbeats.note(id, asked.at, routes);
    const { state, position } = await this.access.decide(
      beat({ ...asked, agentVersion: agentVersion ?? null }),
      found,
      context,
    );
    const heard = existing(state);
    const connector = connectorView(heard, laterOf(seenAt, heard.heardAt), asked.at);
    return answer({ connector, heartbeatIntervalSeconds }, position);
  }
}
