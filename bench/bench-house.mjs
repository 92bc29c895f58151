// What the rows of the benchmark have in common that need a house of their own.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../tools/setup.mjs';

/**
 * A standalone on free ports, as in production, in an empty folder unless one is given: what it says of itself, and how
 * it is stopped. `end` keeps its folder.
 */
export async function startHouse(env, args = [], data = mkdtempSync(join(tmpdir(), 'carillon-bench-'))) {
  const began = Date.now();
  const house = spawn(process.execPath, [join(root, 'dist/apps/standalone/src/main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'fatal',
      PORT: '0',
      SIMULATOR_PORT: '0',
      CARILLON_DATA: data,
      ...env,
    },
  });
  const end = async () => {
    house.kill('SIGTERM');
    if (house.exitCode === null) await new Promise((resolve) => house.once('exit', resolve));
  };
  const stop = async () => {
    await end();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const state = await ready(house, data);
    return { data, end, stop, state, pid: house.pid, readySeconds: (Date.now() - began) / 1000 };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function ready(house, data) {
  for (;;) {
    if (house.exitCode !== null) throw new Error('The standalone did not start');
    await sleep(100);
    try {
      return JSON.parse(readFileSync(join(data, 'standalone.json'), 'utf8'));
    } catch {
      // Not ready yet.
    }
  }
}

/** Gives who calls a house and gets what was answered; throws what was refused. */
export const callerOf =
  ({ baseUrl }) =>
  async (method, path, body, bearer) => {
    const answer = await ask(`${baseUrl}${path}`, method, body, bearer);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

/** A second account, which has no phone: its session's access token, and an API token. */
export async function accountWithoutPhone(call, email = 'bench@example.test') {
  const person = { email, password: 'a long enough password', client: 'app' };
  await call('POST', '/api/session/signup', { ...person, name: 'Bench' });
  const { accessToken } = await call('POST', '/api/session/login/password', person);
  const asked = {
    name: 'bench',
    scopes: ['notifications:send', 'inbox:read', 'interactions:create', 'interactions:read'],
  };
  const { token, secret } = await call('POST', '/api/session/tokens', asked, accessToken);
  return { accessToken, tokenId: token.id, secret };
}

/** A team of the account with this address. */
export function workplaceTeam(data, email, env = {}) {
  const made = spawnSync(
    process.execPath,
    [join(root, 'tools/admin.mjs'), 'team', 'create', '--name=Bench', `--owner=${email}`],
    {
      env: { ...process.env, ...env, NODE_OPTIONS: '', CARILLON_DATA: data, NATS_URL: '' },
      encoding: 'utf8',
    },
  );
  if (made.status !== 0) throw new Error(`No team was made: ${made.stderr}`);
  return JSON.parse(made.stdout).team.id;
}

/** One call, and what was answered, whatever it says. */
export async function ask(url, method, body, bearer) {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...(bearer && { authorization: `Bearer ${bearer}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Runs `work` for every item, with a maximum of concurrent runs. */
export async function eachOf(items, atOnce, work) {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** The whole numbers below `count`, from 0. */
export const upTo = (count) => [...Array(count).keys()];

export const percentile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];

export const median = (numbers) => percentile(numbers, 0.5);
