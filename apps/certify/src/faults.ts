import type { House } from '@carillon/testkit';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Something that happens to a house. It is over when its promise is. */
export interface Happening {
  readonly name: string;
  happens(house: House): Promise<void>;
}

type Part = Parameters<House['pidsOf']>[0];

const frozenMs = 20_000;
const fullMs = 5_000;

const killed = (part: Part, name: string): Happening => ({
  name: `${name} killed`,
  happens: async (house) => {
    for (const pid of house.pidsOf(part).slice(0, 1)) process.kill(pid, 'SIGKILL');
  },
});

const frozen = (name: string, pids: (house: House) => readonly number[]): Happening => ({
  name: `${name} frozen for ${frozenMs / 1000} s`,
  happens: async (house) => {
    const those = pids(house);
    for (const pid of those) process.kill(pid, 'SIGSTOP');
    try {
      await pause(frozenMs);
    } finally {
      for (const pid of those) process.kill(pid, 'SIGCONT');
    }
  },
});

const died: Happening = {
  name: 'the whole house is killed and started at once',
  happens: async (house) => {
    house.kill9All();
    await house.start();
  },
};

const cut: Happening = {
  name: 'every connection to Postgres is cut',
  happens: async (house) => {
    const client = new pg.Client({ connectionString: house.state.databaseUrl });
    await client.connect();
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await client.end();
  },
};

const jumps: Happening = {
  name: 'the clock jumps by 30 s',
  happens: async (house) => void (await house.advance(30)),
};

/** Its data folder must lie on a file system of its own, or another program's would be filled. */
const fills: Happening = {
  name: `the disk is full for ${fullMs / 1000} s`,
  happens: async (house) => {
    const file = join(house.dataDir, 'filler');
    const filler = openSync(file, 'w');
    try {
      const megabyte = Buffer.alloc(2 ** 20, 1);
      for (const block of [megabyte, Buffer.alloc(4096, 1)])
        try {
          for (;;) if (writeSync(filler, block) < block.length) break;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        }
      if (statfsSync(house.dataDir).bavail > 1) throw new Error('the disk could not be filled');
      await pause(fullMs);
    } finally {
      closeSync(filler);
      rmSync(file);
    }
  },
};

/** All that can be done to a standalone; the disk is filled only where it is a small one of its own. */
export const happenings = (disk: 'small' | 'shared'): readonly [Happening, ...Happening[]] => [
  died,
  killed('postgres', 'Postgres is'),
  killed('nats', 'NATS is'),
  killed('event-store', 'the event store is'),
  killed('simulator', 'the push providers are'),
  frozen('Postgres is', (house) => house.pidsOf('postgres')),
  frozen('NATS is', (house) => house.pidsOf('nats')),
  frozen('the event store is', (house) => house.pidsOf('event-store')),
  frozen('the push providers are', (house) => house.pidsOf('simulator')),
  frozen('the process of the services is', (house) => [house.state.pid]),
  cut,
  jumps,
  ...(disk === 'small' ? [fills] : []),
];
