import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { end, tie } from './child';
import { eventually } from './eventually';
import { type House, standaloneMain } from './house';

/** Another process of one of a house's services, which takes its share of what the service is asked. */
export async function startReplica(house: House, service: string): Promise<{ stop(): Promise<void> }> {
  const secrets: Record<'pepper' | 'keys' | 'callerKey' | 'auditKey', string> = JSON.parse(
    readFileSync(join(house.dataDir, 'secrets.json'), 'utf8'),
  );
  const { databaseUrl, databaseUrls, eventStoreUrl, baseUrl } = house.state;
  const child = spawn(process.execPath, [join(dirname(standaloneMain), `../../${service}/src/main.js`)], {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
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
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tie(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  try {
    await eventually(
      () => {
        if (child.exitCode !== null) throw new Error(`the second ${service} ended:\n${said}`);
        return said.includes('Service ready') || undefined;
      },
      () => `the second ${service} is not ready:\n${said}`,
      60_000,
    );
  } catch (error) {
    await end(child, 'SIGKILL');
    throw error;
  }
  return { stop: () => end(child) };
}
