import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { settingOf } from '@carillon/settings';
import { BadOption, parseCommandLine } from './command-line';
import { messageOf } from './failure';

export interface StandaloneOptions {
  readonly help: boolean;
  /** 0 = a free one. */
  readonly port: number;
  readonly simulatorPort: number;
  readonly metricsPort: number;
  readonly dataFolder: string;
  readonly baseUrl: string | undefined;
  /** Only what services need, no service. */
  readonly partsOnly: boolean;
  /** How many processes all services are in: in the second those that follow the log most. */
  readonly processes: 1 | 2;
  /** Every service as processes of their own. */
  readonly cluster: boolean;
  /** Of a cluster: how many processes of each service, and how many gateways. */
  readonly replicas: number;
  /** Of a cluster: all but the first process of each service go through links, which a test can cut. */
  readonly links: boolean;
  /** Throw away the rows; they are rebuilt from the log. */
  readonly newRows: boolean;
  /** Stop when the process that started this one is gone. */
  readonly exitWithParent: boolean;
  /** System packages may be installed. */
  readonly mayInstall: boolean;
  readonly databaseUrl: string | undefined;
  readonly natsUrl: string | undefined;
  readonly eventStoreUrl: string | undefined;
  /** Credentials of real push providers are there. */
  readonly realProviders: boolean;
}

/** Reads the command line and the environment, files that it names included; an empty variable counts as none. */
export function readOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  checkout: string,
): StandaloneOptions {
  const { values } = parseCommandLine(argv);
  const from = (name: string): string | undefined => {
    try {
      return settingOf(name, env);
    } catch (error) {
      throw new BadOption(messageOf(error));
    }
  };
  if (from('CARILLON_CLOCK') === 'manual' && from('NODE_ENV') === 'production')
    throw new BadOption('CARILLON_CLOCK=manual is for tests: it is refused when NODE_ENV=production');
  return {
    help: values.help ?? false,
    port: port('PORT', values.port ?? from('PORT'), 8080),
    simulatorPort: port('SIMULATOR_PORT', values['simulator-port'] ?? from('SIMULATOR_PORT'), 8090),
    metricsPort: port('METRICS_PORT', from('METRICS_PORT'), 0),
    dataFolder: resolve(values.data ?? from('CARILLON_DATA') ?? join(checkout, '.carillon')),
    baseUrl: baseUrl(from('CARILLON_BASE_URL')),
    partsOnly: values.parts ?? false,
    processes: processes(values, from('CARILLON_CLOCK') === 'manual', availableParallelism()),
    cluster: values.cluster ?? false,
    replicas: replicas(values),
    links: links(values),
    newRows: values['new-rows'] ?? false,
    exitWithParent: values['exit-with-parent'] ?? false,
    mayInstall: from('CARILLON_INSTALL') !== 'never',
    databaseUrl: from('DATABASE_URL'),
    natsUrl: from('NATS_URL'),
    eventStoreUrl: from('EVENTSTORE_URL'),
    realProviders: ['APNS_KEY', 'FCM_SERVICE_ACCOUNT'].some((name) => env[name] || env[`${name}_FILE`]),
  };
}

function port(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new BadOption(`${name} must be a port number, not "${text}"`);
  return Number(text);
}

/** A second process pays only where processors are left for Postgres, the event store and the phones. */
const leastCores = 4;

/** `auto`: two on a machine with four processors or more, one on a smaller one. */
export function processes(
  { processes: text, cluster }: { processes?: string; cluster?: boolean },
  isClockMovable: boolean,
  cores: number,
): 1 | 2 {
  if (text === undefined || text === '1') return 1;
  if (text !== '2' && text !== 'auto') throw new BadOption(`--processes must be 1, 2 or auto, not "${text}"`);
  if (cluster) throw new BadOption('--processes does not go with --cluster, which has more');
  if (isClockMovable) throw new BadOption('--processes does not go with CARILLON_CLOCK=manual');
  return text === '2' || cores >= leastCores ? 2 : 1;
}

function replicas({ replicas: text, cluster }: { replicas?: string; cluster?: boolean }): number {
  if (text === undefined) return 2;
  if (!cluster) throw new BadOption('--replicas needs --cluster');
  // The processes of five of each have more connections than the Postgres of one machine gives.
  if (!/^[1-4]$/.test(text)) throw new BadOption(`--replicas must be a number from 1 to 4, not "${text}"`);
  return Number(text);
}

function links({ links: wanted = false, cluster }: { links?: boolean; cluster?: boolean }): boolean {
  if (wanted && !cluster) throw new BadOption('--links needs --cluster');
  return wanted;
}

function baseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new BadOption(`CARILLON_BASE_URL must be an http or https address, not "${text}"`);
  return text.replace(/\/+$/, '');
}
