import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { settingOf } from '@carillon/settings';

export interface Options {
  readonly help: boolean;
  /** 0 = a free one. */
  readonly port: number;
  readonly simulatorPort: number;
  readonly dataFolder: string;
  readonly baseUrl: string | undefined;
  /** Only what services need, no service. */
  readonly partsOnly: boolean;
  /** Throw away the rows; they are made anew from the log. */
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

/** Something in the command line or the environment that cannot be followed. */
export class BadOption extends Error {}

export const helpText = (): string => readFileSync(join(import.meta.dirname, 'help.txt'), 'utf8');

/** Reads the command line and the environment, files that it names included; an empty variable counts as none. */
export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv, checkout: string): Options {
  const { values } = parse(argv);
  const from = (name: string): string | undefined => {
    try {
      return settingOf(name, env);
    } catch (error) {
      throw new BadOption((error as Error).message);
    }
  };
  if (from('CARILLON_CLOCK') === 'manual' && from('NODE_ENV') === 'production')
    throw new BadOption('CARILLON_CLOCK=manual is for tests: it is refused when NODE_ENV=production');
  return {
    help: values.help ?? false,
    port: port('PORT', values.port ?? from('PORT'), 8080),
    simulatorPort: port('SIMULATOR_PORT', values['simulator-port'] ?? from('SIMULATOR_PORT'), 8090),
    dataFolder: resolve(values.data ?? from('CARILLON_DATA') ?? join(checkout, '.carillon')),
    baseUrl: baseUrl(from('CARILLON_BASE_URL')),
    partsOnly: values.parts ?? false,
    newRows: values['new-rows'] ?? false,
    exitWithParent: values['exit-with-parent'] ?? false,
    mayInstall: from('CARILLON_INSTALL') !== 'never',
    databaseUrl: from('DATABASE_URL'),
    natsUrl: from('NATS_URL'),
    eventStoreUrl: from('EVENTSTORE_URL'),
    realProviders: ['APNS_KEY', 'FCM_SERVICE_ACCOUNT'].some((name) => env[name] || env[`${name}_FILE`]),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        port: { type: 'string' },
        'simulator-port': { type: 'string' },
        data: { type: 'string' },
        parts: { type: 'boolean' },
        'new-rows': { type: 'boolean' },
        'exit-with-parent': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new BadOption(`${(error as Error).message} (--help lists the options)`);
  }
}

function port(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new BadOption(`${name} must be a port number, not "${text}"`);
  return Number(text);
}

function baseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new BadOption(`CARILLON_BASE_URL must be an http or https address, not "${text}"`);
  return text.replace(/\/+$/, '');
}

/** The nearest folder above that has the workspace's file: the checkout, from sources and from dist/ alike. */
export function checkoutOf(folder: string, exists: (file: string) => boolean): string {
  for (let at = folder; ; at = dirname(at)) {
    if (exists(join(at, 'nx.json'))) return at;
    if (at === dirname(at)) throw new Error(`no checkout above ${folder}`);
  }
}
