import type { HouseState } from '@carillon/testkit';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

const root = join(import.meta.dirname, '../../../..');

/** What was running, each part with its version. */
export async function versionsOf(state: HouseState): Promise<Record<string, string>> {
  return {
    Carillon: carillonVersion(),
    Node: process.versions.node,
    Postgres: await postgresVersion(state.databaseUrl),
    NATS: await natsVersion(state.natsUrl),
    [`${process.platform} with processors`]: String(cpus().length),
  };
}

/** With the commit, and whether anything was changed since, where it is a checkout of git. */
function carillonVersion(): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const commit = git('rev-parse', 'HEAD').trim();
    return `${version} at ${commit}${git('status', '--porcelain') ? ' with changes' : ''}`;
  } catch {
    return version;
  }
}

async function postgresVersion(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version ?? 'unknown';
  } finally {
    await client.end();
  }
}

/** A NATS server sends it first on every connection. */
async function natsVersion(natsUrl: string): Promise<string> {
  const { hostname, port } = new URL(natsUrl);
  const socket = connect(Number(port), hostname);
  try {
    const [info] = (await once(socket, 'data')) as [Buffer];
    return /"version":"([^"]+)"/.exec(info.toString())?.[1] ?? 'unknown';
  } finally {
    socket.destroy();
  }
}
