import { startParts } from '@carillon/testkit';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const program = join(import.meta.dirname, '../../../dist/apps/operator/src/rebuild.js');
const folder = mkdtempSync(join(tmpdir(), 'carillon-rebuild-'));
let parts: Awaited<ReturnType<typeof startParts>>;
let mounted: Record<string, string>;

beforeAll(async () => {
  parts = await startParts();
  mounted = Object.fromEntries(
    Object.entries(parts.env).map(([name, value]) => {
      writeFileSync(join(folder, name), `${value}\n`);
      return [`${name}_FILE`, join(folder, name)];
    }),
  );
});
afterAll(async () => {
  await parts?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const rebuild = (env: Record<string, string>, ...args: string[]) =>
  new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const all = { PATH: process.env['PATH'], CARILLON_DATA: folder, ...env };
    const child = execFile(process.execPath, [program, ...args], { env: all }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });

/** The schemas that have tables. */
async function schemas(): Promise<string[]> {
  const database = new pg.Client({ connectionString: parts.env['DATABASE_URL'] });
  await database.connect();
  try {
    const { rows } = await database.query<{ schemaname: string }>(
      'SELECT DISTINCT schemaname FROM pg_tables',
    );
    return rows.map(({ schemaname }) => schemaname);
  } finally {
    await database.end();
  }
}

it('rebuild takes each setting from the file that it names, as secrets are mounted', async () => {
  expect(await rebuild(mounted, 'read-models', 'inbox')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^read-models inbox: rebuilt from 0 events/m),
    stderr: '',
  });
  expect(await schemas()).toContain('read_models');
});

it('rebuild --all throws away the rows of every service, also when it is repeated', async () => {
  for (const _ of ['once', 'twice']) {
    expect(await rebuild(mounted, '--all')).toMatchObject({ status: 0, stderr: '' });
    expect(await schemas()).not.toContain('read_models');
  }
});

it('rebuild says in words what is missing or wrong', async () => {
  expect(await rebuild(mounted, 'read-models', 'no-such')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^Not done: .*no-such/),
  });
  expect(await rebuild({}, 'read-models', 'inbox')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(`no standalone runs on ${folder}, and DATABASE_URL is not set`),
  });
  expect(await rebuild({}, '--all')).toMatchObject({ status: 2, stderr: expect.stringContaining('usage') });
  expect(await rebuild({ DATABASE_URL_FILE: join(folder, 'nothing') }, '--all')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('The file that DATABASE_URL_FILE names cannot be read'),
  });
});
