// How fast rows follow sealed events: of accounts whose keys are at hand, and of accounts that were not seen before.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startHouse } from './bench-house.mjs';
import { heldBytes } from './bench-memory.mjs';
import { appendSent, followed, makeKeys, openLog } from './bench-sealed.mjs';
import { accountOf, accounts } from './bench-sent.mjs';

/** Fewer places than there are accounts. */
const keyCacheMb = '1';
const lookMs = 500;

export async function measureFollow({ count, env }) {
  const settings = { ...env, CARILLON_KEY_CACHE_MB: keyCacheMb };
  let house = await startHouse(settings);
  try {
    const warm = { first: 0, of: accounts };
    await keysOf(house, warm);
    await follow(house, { ...warm, count: accounts });
    const atHand = await follow(house, { first: accounts, of: Math.floor(accounts / 10), count });
    const fresh = { first: 10 * accounts, of: count };
    await keysOf(house, fresh);
    // Its processes forget the keys that they saw being made.
    await house.end();
    house = await startHouse(settings, [], house.data);
    return { count, atHand, fresh: await follow(house, { ...fresh, count }) };
  } finally {
    await house.stop();
  }
}

const keysOf = async (house, { first, of }) => {
  const { log, close } = await openLog(house);
  await makeKeys(log, first, of);
  await close();
};

/** Appends sealed events of so many accounts, and waits until all rows have them. */
async function follow(house, { first, of, count }) {
  const database = new pg.Client({ connectionString: house.state.databaseUrl });
  await database.connect();
  const { log, close } = await openLog(house);
  const memory = [];
  // Only the house reads keys while it is measured, not the program that appends.
  await makeKeys(log, first, of);
  const looks = setInterval(() => memory.push(heldBytes(house.pid, 'Rss')), lookMs);
  try {
    const began = performance.now();
    const end = await appendSent(log, first, first + count, (n) =>
      accountOf(first + ((n - first) % of), first + of),
    );
    await followed(database, end);
    const seconds = (performance.now() - began) / 1000;
    await sleep(lookMs);
    const third = Math.ceil(memory.length / 3);
    return {
      perSecond: count / seconds,
      early: Math.max(...memory.slice(0, third)),
      late: Math.max(...memory.slice(-third)),
    };
  } finally {
    clearInterval(looks);
    await close();
    await database.end();
  }
}

export function followTable({ count, atHand, fresh }) {
  const whole = (number) => Math.round(number).toLocaleString('en');
  const row = (title, { perSecond, early, late }) =>
    `| ${title} | ${whole(perSecond)} events/s | ${whole(early / 2 ** 20)} and ${whole(late / 2 ** 20)} MiB |`;
  return [
    '| Sealed events, their appends included | Followed | Memory of the services, maximum in the first third and in the last |',
    '|---|---|---|',
    row(`${whole(count)} of ${whole(accounts / 10)} accounts whose keys are at hand`, atHand),
    row(`${whole(count)}, each of an account not seen before`, fresh),
  ].join('\n');
}
