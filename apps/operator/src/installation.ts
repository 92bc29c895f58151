import { serviceNames } from '@carillon/contracts';
import { checkoutOf, databaseSetting, isSet, settingOf } from '@carillon/settings';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const checkout = checkoutOf(import.meta.dirname, existsSync);

/** The data folder of the standalone on this machine, which need not exist. */
export const dataFolder = (): string => resolve(settingOf('CARILLON_DATA') ?? join(checkout, '.carillon'));

/** The addresses in `standalone.json`, which exists while a standalone runs. */
export interface StandaloneAddresses {
  readonly baseUrl: string | null;
  readonly databaseUrl: string;
  /** Of a cluster: each service's own. */
  readonly databaseUrls?: Readonly<Record<string, string>>;
  readonly eventStoreUrl: string;
  readonly natsUrl: string;
  readonly natsCaFile?: string;
}

/** The keys in `secrets.json`. */
export interface StandaloneKeys {
  readonly pepper: string;
  readonly keys: string;
  readonly callerKey: string;
  readonly auditKey: string;
}

/**
 * The settings of a program that belongs to this standalone. Its addresses replace those of the environment, so that
 * parts of two installations are never mixed. A key in the environment is the one that the standalone has too.
 */
export function standaloneSettings(
  addresses: StandaloneAddresses,
  keys: StandaloneKeys,
  isGiven: (name: string) => boolean,
): Record<string, string> {
  const { baseUrl, databaseUrl, databaseUrls = {}, natsCaFile } = addresses;
  const secrets = {
    CARILLON_PEPPER: keys.pepper,
    CARILLON_KEYS: keys.keys,
    CARILLON_CALLER_KEY: keys.callerKey,
    CARILLON_AUDIT_KEY: keys.auditKey,
  };
  return {
    DATABASE_URL: databaseUrl,
    ...Object.fromEntries(
      serviceNames.map((service) => [databaseSetting(service), databaseUrls[service] ?? databaseUrl]),
    ),
    NATS_URL: addresses.natsUrl,
    EVENTSTORE_URL: addresses.eventStoreUrl,
    ...(natsCaFile && { NATS_CA_FILE: natsCaFile }),
    ...(baseUrl !== null && { CARILLON_BASE_URL: baseUrl }),
    ...Object.fromEntries(Object.entries(secrets).filter(([name]) => !isGiven(name))),
  };
}

/** Completes the environment from the standalone that runs on CARILLON_DATA, unless `decisive` is set there. */
export function findInstallation(decisive: 'DATABASE_URL' | 'NATS_URL' | 'EVENTSTORE_URL'): void {
  if (isSet(decisive)) return;
  const data = dataFolder();
  try {
    const addresses: StandaloneAddresses = JSON.parse(readFileSync(join(data, 'standalone.json'), 'utf8'));
    const keys: StandaloneKeys = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
    Object.assign(process.env, standaloneSettings(addresses, keys, isSet));
  } catch (cause) {
    throw new Error(`no standalone runs on ${data}, and ${decisive} is not set`, { cause });
  }
}
