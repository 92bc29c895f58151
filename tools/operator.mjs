// What the tools have in common that ask the running services something on behalf of who operates the installation. Takes
// NATS_URL and CARILLON_CALLER_KEY from the environment, else those of the standalone that runs on CARILLON_DATA.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDependencies, root } from './setup.mjs';

const timeoutMs = 30_000;

/**
 * `work` gets `ask(contract, input)`, which gives the answer's value, and the contracts; `ask(contract, input, accountId)`
 * asks for that account. What goes wrong ends in words.
 */
export async function asOperator(name, work) {
  await prepare();
  findParts();
  const { Bus } = await import('../dist/libs/bus/src/bus.js');
  const contracts = await import('../dist/libs/contracts/src/index.js');
  const bus = await Bus.open(undefined, name).catch((error) => {
    console.error(`Not done: ${error.message}`);
    process.exit(1);
  });
  const ask = async (contract, input, accountId = '') => {
    const commandId = randomUUID();
    const { value } = await bus.ask(contract, input, {
      commandId,
      correlationId: commandId,
      caller: { accountId, process: 'operator' },
      deadline: Date.now() + timeoutMs,
    });
    return value;
  };
  try {
    await work(ask, contracts);
  } catch (error) {
    const issues = error.details?.issues?.map(({ path, message }) => `${path} ${message}`) ?? [];
    console.error(`Not done: ${[error.reason ?? error.message, ...issues].join(', ')}`);
    process.exitCode = 1;
  } finally {
    await bus.close();
  }
}

/** All entries of a list, page by page. */
export async function* allOf(ask, contract, input = {}) {
  for (let cursor; ;) {
    const { items, nextCursor } = await ask(contract, { ...input, limit: 100, cursor });
    yield* items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

/** What there is to say of this goes to stderr: stdout is for the answer. */
async function prepare() {
  const { log } = console;
  console.log = console.error;
  await installDependencies();
  await (await import('./build.mjs')).build();
  console.log = log;
}

function findParts() {
  if (process.env.NATS_URL || process.env.NATS_URL_FILE) return;
  const data = process.env.CARILLON_DATA ?? join(root, '.carillon');
  try {
    const read = (file) => JSON.parse(readFileSync(join(data, file), 'utf8'));
    const { natsUrl, natsCaFile } = read('standalone.json');
    process.env.NATS_URL = natsUrl;
    if (natsCaFile) process.env.NATS_CA_FILE = natsCaFile;
    process.env.CARILLON_CALLER_KEY ??= read('secrets.json').callerKey;
  } catch {
    console.error(`No standalone runs on ${data}, and NATS_URL is not set.`);
    process.exit(1);
  }
}
