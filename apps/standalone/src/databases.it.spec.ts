import { serviceNames } from '@carillon/contracts';
import type { RunningService } from '@carillon/runtime';
import { eventually, startParts } from '@carillon/testkit';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';

const dist = join(import.meta.dirname, '../../../dist/apps');
const run = (program: string, ...args: string[]): Promise<string> =>
  new Promise((resolve, reject) =>
    execFile(
      process.execPath,
      [join(dist, program), ...args],
      { env: { ...process.env, NODE_OPTIONS: '', LOG_LEVEL: 'info' } },
      (error, stdout, stderr) => (error ? reject(new Error(stderr, { cause: error })) : resolve(stdout)),
    ),
  );
const schemaOf = (service: string): string => service.replaceAll('-', '_');
const settingOf = (service: string): string => `DATABASE_URL_${schemaOf(service).toUpperCase()}`;

let parts: Awaited<ReturnType<typeof startParts>>;
let owner: string;
beforeAll(async () => {
  parts = await startParts({ LOG_LEVEL: 'silent', PORT: '0' });
  owner = parts.env['DATABASE_URL']!;
}, 60_000);
afterAll(() => parts?.stop());

const refusalOf = async (url: string, text: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    return (await client.query(text)).rows;
  } catch (error) {
    return (error as pg.DatabaseError).message;
  } finally {
    await client.end();
  }
};

describe.each([
  { layout: 'one database', databaseOf: () => 'carillon', other: /permission denied for schema/ },
  { layout: 'a database each', databaseOf: schemaOf, other: /permission denied for database/ },
])('with a role for each service and $layout', ({ databaseOf, other }) => {
  const urls = Object.fromEntries(serviceNames.map((service) => [service, '']));
  const running: RunningService[] = [];
  const start = async (): Promise<void> => {
    const { startServices } = await import('./services');
    await startServices('', (service) => running.push(service));
  };
  const stop = async (): Promise<void> => {
    for (const service of running.splice(0)) await service.close();
  };
  beforeAll(() => {
    for (const service of serviceNames) {
      const url = new URL(owner);
      url.username = `carillon_${schemaOf(service)}`;
      url.password = 'a password';
      url.pathname = databaseOf(service);
      process.env[settingOf(service)] = urls[service] = url.href;
    }
  });
  afterAll(stop);

  it('every service migrates and starts, and none can read the rows of another', async () => {
    expect(await run('operator/src/roles.js')).toContain(
      'read-models: carillon_read_models owns the schema read_models',
    );
    expect((await run('standalone/src/migrate.js')).match(/up to date/g)).toHaveLength(9);
    process.env['DATABASE_URL'] = 'postgres://nobody:nothing@127.0.0.1:1/none';
    await start();
    expect(running).toHaveLength(serviceNames.length);
    for (const [index, service] of serviceNames.entries()) {
      const another = serviceNames.at(index - 1)!;
      const url = new URL(urls[service]!);
      url.pathname = databaseOf(another);
      const text = `SELECT * FROM ${schemaOf(another)}.projection_checkpoints`;
      expect(await refusalOf(url.href, text)).toEqual(expect.stringMatching(other));
    }
  }, 120_000);

  it('a projection is rebuilt beside its service, and all rows anew while nothing runs', async () => {
    expect(await run('operator/src/rebuild.js', 'read-models', 'inbox')).toContain('rebuilt from');
    await stop();
    const tables = `SELECT 1 FROM pg_tables WHERE schemaname = 'read_models'`;
    // Postgres shows a connection for a moment after its end.
    await eventually(
      () => run('operator/src/rebuild.js', '--all').catch(() => undefined),
      () => 'the rows are still in use',
    );
    expect(await refusalOf(urls['read-models']!, tables)).toEqual([]);
    await start();
    expect(await refusalOf(urls['read-models']!, tables)).not.toHaveLength(0);
    process.env['DATABASE_URL'] = owner;
  }, 120_000);
});
