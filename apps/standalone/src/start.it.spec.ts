import { eventually, freePort, startPostgres, startParts, type TestPostgres } from '@carillon/testkit';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

let parts: Awaited<ReturnType<typeof startParts>>;
let postgres: TestPostgres;
let service: ChildProcess;
let output = '';
const port = await freePort();
const main = join(import.meta.dirname, '../../../dist/apps/accounts/src/main.js');

beforeAll(async () => {
  [parts, postgres] = await Promise.all([startParts(), startPostgres()]);
  await postgres.crash('kill');
  service = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      ...parts.env,
      NODE_OPTIONS: '',
      DATABASE_URL: postgres.url,
      METRICS_PORT: String(port),
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  service.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
}, 60_000);
afterAll(async () => {
  if (service.exitCode === null && service.kill('SIGTERM')) await once(service, 'exit');
  await parts?.stop();
  await postgres?.stop();
});

const status = (page: 'live' | 'ready'): Promise<number | undefined> =>
  fetch(`http://127.0.0.1:${port}/healthz/${page}`).then(
    (answer) => answer.status,
    () => undefined,
  );

it('a service that starts while Postgres is away is live, says once what it waits for, and is ready when Postgres is back', async () => {
  const waits = (): string[] => output.split('\n').filter((line) => line.includes('The start waits for'));
  await eventually(
    () => waits()[0],
    () => `it does not say what it waits for:\n${output}`,
    30_000,
  );
  // Several attempts fail meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect([await status('live'), await status('ready')]).toEqual([200, 503]);
  expect(waits()).toHaveLength(1);
  expect(waits()[0]).toMatch(/Postgres does not answer yet: .*ECONNREFUSED/);

  await postgres.start();
  await eventually(
    async () => (await status('ready')) === 200 || undefined,
    () => `it is not ready:\n${output}`,
    30_000,
  );
  expect(service.exitCode).toBeNull();
}, 90_000);

it('a service that starts with another number of partitions than the log has ends, and says why in one sentence', async () => {
  const env = { ...process.env, ...parts.env, NODE_OPTIONS: '', CARILLON_PARTITIONS: '8', METRICS_PORT: '0' };
  const other = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [other.stdout, other.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  const [code] = (await once(other, 'exit')) as [number | null];
  expect(code).toBeGreaterThan(0);
  expect(said).toContain(
    'CARILLON_PARTITIONS is 8, but the log was begun with 16 partitions, which cannot be changed: ' +
      'set CARILLON_PARTITIONS to 16.',
  );
}, 60_000);
