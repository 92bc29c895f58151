// What a server answers to the scenarios, recorded or held against the recording of a real one:
//   node apps/event-store-emulator/recorded/compare.mjs record <esdb-url> [--only text] > recording.json
//   node apps/event-store-emulator/recorded/compare.mjs compare <esdb-url> [--only text] [--all] [--shard 0/8] [--json]
// Nobody else should write to the server meanwhile. It need not be empty.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { clientVersion, Connection } from './connection.mjs';
import { scenarios } from './scenarios.mjs';
import { World } from './world.mjs';

const RECORDING = 'eventstoredb-23.10.7.json';
const TRIES = 4;
const COMES_BACK = 10_000;
const here = (name) => new URL(name, import.meta.url);

/** Runs a scenario; again if somebody else wrote in between, for that would show in $all. */
async function recordOne({ run }, connection) {
  for (let tries = 1; ; tries += 1) {
    const world = new World(connection);
    const before = await head(connection);
    let failure;
    let late = false;
    // A step that waits takes the client's crash for its answer; what comes between steps belongs to another one.
    const crashed = () => (late ||= world.waiting === 0);
    process.on('uncaughtException', crashed);
    try {
      await run(world.kit());
    } catch (error) {
      failure = { step: 'the scenario itself fails', got: `${error.type ?? error.name}: ${error.message}` };
    }
    await world.end();
    process.off('uncaughtException', crashed);
    if (late && tries < TRIES) continue;
    if (failure) world.steps.push(failure);
    if (await isGone(connection)) {
      world.steps.push({ step: 'ask again', got: 'the server is gone' });
      return world.recording();
    }
    if (tries === TRIES || !(await othersWrote(connection, before, world.token))) return world.recording();
  }
}

/** Whether the server stopped answering. If so, gives whoever looks after it a while to start it again. */
async function isGone(connection) {
  const end = Date.now() + COMES_BACK;
  for (let tries = 0; ; tries += 1) {
    try {
      await head(connection);
      await connection.ready();
      return tries > 0;
    } catch (error) {
      if (Date.now() > end) throw new Error(`the server is gone: ${error.message}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
      connection.reopen();
    }
  }
}

async function head({ client }) {
  for await (const { event } of client.readAll({ direction: 'backwards', fromPosition: 'end', maxCount: 1 }))
    return event.position;
  return 'start';
}

async function othersWrote({ client }, before, token) {
  for await (const { event } of client.readAll({ fromPosition: before }))
    if (!event.streamId.includes(token) && event.position.commit !== before.commit) return true;
  return false;
}

async function* recordAll(url, { only = '', shard = '0/1' }) {
  const connection = new Connection(url);
  const [part, parts] = shard.split('/').map(Number);
  for (const [index, scenario] of scenarios.entries()) {
    const { group, name } = scenario;
    if (index % parts !== part || !`${group}: ${name}`.includes(only)) continue;
    yield { group, name, steps: await recordOne(scenario, connection) };
  }
}

const brief = (value) => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
};

const printable = (text) => text.replace(/[\0-\x1f]/g, (letter) => JSON.stringify(letter).slice(1, -1));

function differences(expected, got) {
  const lines = [];
  for (let i = 0; i < Math.max(expected.length, got.length); i += 1)
    if (!isDeepStrictEqual(expected[i], got[i]))
      lines.push(
        `${printable((expected[i] ?? got[i]).step)}: expected ${brief(expected[i]?.got)}, got ${brief(got[i]?.got)}`,
      );
  return lines;
}

async function record(url, options) {
  const recorded = [];
  for await (const scenario of recordAll(url, options)) recorded.push(scenario);
  const steps = (each) => each.steps.map((step) => `  ${JSON.stringify(step)}`).join(',\n');
  const lines = recorded.map(
    (each) => `{"group": "${each.group}", "name": ${JSON.stringify(each.name)}, "steps": [\n${steps(each)}]}`,
  );
  console.log(`{"client": "${clientVersion}", "scenarios": [\n${lines.join(',\n')}\n]}`);
}

async function compare(url, { all, json, ...options }) {
  const read = (name) => JSON.parse(readFileSync(here(name), 'utf8'));
  const known = new Map(read(RECORDING).scenarios.map((each) => [`${each.group}: ${each.name}`, each.steps]));
  const accepted = new Set(read('accepted.json').flatMap((each) => each.scenarios));
  const result = { same: [], different: [] };
  for await (const { group, name, steps } of recordAll(url, options)) {
    const scenario = `${group}: ${name}`;
    const expected = known.get(scenario);
    const lines = expected ? differences(expected, steps) : ['it is not in the recording'];
    if (lines.length === 0) result.same.push(scenario);
    else result.different.push({ scenario, accepted: accepted.has(scenario), lines });
  }
  const { same, different } = result;
  const allowed = different.filter((each) => each.accepted);
  if (json) console.log(JSON.stringify(result));
  else {
    for (const { scenario, accepted: isAccepted, lines } of different)
      for (const line of all ? lines : lines.slice(0, 1))
        console.log(`${isAccepted ? 'accepted: ' : ''}${scenario} | ${line}`);
    console.log(`${same.length} same, ${different.length} differ, ${allowed.length} of these are accepted`);
  }
  return different.length > allowed.length ? 1 : 0;
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    shard: { type: 'string' },
    all: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const [command, url] = positionals;
if (command === 'record' && url) {
  await record(url, values);
  process.exit(0);
} else if (command === 'compare' && url) {
  process.exitCode = await compare(url, values);
  // The calls that were left open hold nobody up; what was printed has to arrive first.
  process.stdout.write('', () => process.exit());
} else {
  console.error(
    'usage: node compare.mjs record|compare <esdb-url> [--only text] [--all] [--shard 0/8] [--json]',
  );
  process.exit(2);
}
