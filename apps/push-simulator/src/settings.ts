import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { SimulatorOptions } from './simulator.js';

export const usage = `A stand-in for APNs, FCM and the push services of browsers, with simulated phones.

  --port <n>           control API and page; default SIMULATOR_PORT, else 8090; 0 = the last one, or a free one
  --apns-port <n>      default 0
  --fcm-port <n>       default 0
  --web-port <n>       default 0
  --host <address>     default 127.0.0.1
  --name <host>        another name that services know it by, for its certificates when they are made
  --data <folder>      default $CARILLON_DATA/push-simulator, else .carillon/push-simulator
  --environment <e>    whose APNs tokens are taken: sandbox (default) or production
  --record <file>      a line for each push received, also over restarts; default SIMULATOR_RECORD, else none
  --exit-with-parent   stop when the process that started this one is gone
  --help
`;

export interface SimulatorSettings {
  exitWithParent: boolean;
  options: Omit<SimulatorOptions, 'log'>;
}

/**
 * What the command line says, else the environment; undefined when only help is asked for. Throws what cannot be
 * followed.
 */
export function readSettings(): SimulatorSettings | undefined {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      'apns-port': { type: 'string' },
      'fcm-port': { type: 'string' },
      'web-port': { type: 'string' },
      host: { type: 'string' },
      name: { type: 'string' },
      data: { type: 'string' },
      environment: { type: 'string' },
      record: { type: 'string' },
      'exit-with-parent': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return undefined;
  const port = (name: string, given: string | undefined, otherwise: number): number => {
    if (given === undefined || given === '') return otherwise;
    if (!/^\d{1,5}$/.test(given) || Number(given) > 65_535) throw new Error(`${name} must be a port number`);
    return Number(given);
  };
  const environment = values.environment ?? 'sandbox';
  if (environment !== 'sandbox' && environment !== 'production')
    throw new Error('--environment must be sandbox or production');
  return {
    exitWithParent: values['exit-with-parent'] ?? false,
    options: {
      dataFolder: values.data ?? join(process.env.CARILLON_DATA || '.carillon', 'push-simulator'),
      host: values.host ?? '127.0.0.1',
      name: values.name,
      port: port('--port', values.port ?? process.env.SIMULATOR_PORT, 8090),
      apnsPort: port('--apns-port', values['apns-port'], 0),
      fcmPort: port('--fcm-port', values['fcm-port'], 0),
      webPort: port('--web-port', values['web-port'], 0),
      environment,
      recordFile: values.record ?? (process.env.SIMULATOR_RECORD || undefined),
    },
  };
}
