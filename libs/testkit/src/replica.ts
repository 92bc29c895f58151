import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { end } from './child';
import type { House } from './house';
import { startServiceProcess } from './service-process';

/** Another process of one of a house's services, which takes its share of what the service is asked. */
export async function startReplica(
  house: House,
  service: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ stop(): Promise<void> }> {
  const secrets: Record<'pepper' | 'keys' | 'callerKey' | 'auditKey', string> = JSON.parse(
    readFileSync(join(house.dataDir, 'secrets.json'), 'utf8'),
  );
  const { databaseUrl, databaseUrls, eventStoreUrl, baseUrl } = house.state;
  const child = await startServiceProcess(service, {
    NODE_ENV: 'test',
    METRICS_PORT: '0',
    ...house.busSettings(service),
    DATABASE_URL: databaseUrls?.[service] ?? databaseUrl,
    EVENTSTORE_URL: eventStoreUrl,
    CARILLON_BASE_URL: baseUrl,
    CARILLON_PEPPER: secrets.pepper,
    CARILLON_KEYS: secrets.keys,
    CARILLON_CALLER_KEY: secrets.callerKey,
    CARILLON_AUDIT_KEY: secrets.auditKey,
    ...env,
  });
  return { stop: () => end(child) };
}
