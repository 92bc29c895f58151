import { once } from 'node:events';
import type { Logger } from 'pino';
import { Assertions } from './assertion/assertion';
import { Callbacks } from './callback/callbacks.service';
import { Carillon } from './carillon/carillon.client';
import { Heart } from './heartbeat/heartbeat.service';
import { Gateway } from './proxy/gateway.service';
import { type ClientLimits, defaultLimits } from './proxy/limits';
import { Sessions } from './session/sessions.service';
import type { ConnectorGatewaySettings } from './settings';

const agentVersion = 'connector-gateway/0.1.0';

export interface RunningProgram {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts listening, and tells Carillon. Throws what it cannot go on with. */
export async function startProgram(
  { baseUrl, token, connectorId, callbackKey, host, port, keyFile, targets }: ConnectorGatewaySettings,
  log: Logger,
  limits: ClientLimits = defaultLimits,
): Promise<RunningProgram> {
  const carillon = new Carillon(baseUrl, token, connectorId);
  const assertions = await Assertions.with(keyFile);
  const heart = new Heart(carillon, agentVersion, log, targets);
  const refused = await heart.start();
  if (refused !== undefined)
    throw new Error(
      `Carillon refuses CARILLON_API_TOKEN for CONNECTOR_ID: ${refused}. The token needs the scopes connectors:read and connectors:write, and its account the connector`,
    );
  const gateway = new Gateway({
    carillonUrl: baseUrl,
    connector: () => heart.connector,
    carillonAwaySeconds: () => carillon.awaySeconds,
    sessions: new Sessions(carillon, (grant, route) => assertions.sign(grant, route, new Date())),
    callbacks: new Callbacks(carillon, callbackKey, log),
    assertions,
    targets,
    limits,
    log,
  });
  gateway.server.listen(port, host);
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  const listening = typeof address === 'object' && address ? address.port : port;
  log.info({ host, port: listening }, 'listening');
  return {
    port: listening,
    stop: async () => {
      heart.stop();
      await gateway.stop();
    },
  };
}
