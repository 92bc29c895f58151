import { type House, type HousePart, signalAll } from '@carillon/testkit';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { oneOf } from './chance';
import type { Disk } from './disk';
import type { CertifyOptions } from './options';

/** A fault for a house. It is over when its promise resolves. */
export interface Happening {
  readonly name: string;
  /** The fault ends a process that answers: callers may get no answer. */
  readonly silences: boolean;
  /** Another process takes over: how long that takes is measured. */
  readonly failsOver?: true;
  happens(house: House): Promise<void>;
}

/** Creates a fault of one kind with random parameters. */
type Kind = (chance: () => number) => Happening;

const maxFullMs = 5_000;
const gateway = 'gateway';

/** The process ids of a part; none while it is being restarted. */
function pidsOf(house: House, part: HousePart): number[] {
  try {
    return house.pidsOf(part);
  } catch {
    return [];
  }
}

const killed = (name: string, parts: readonly HousePart[], silences = false): Happening => ({
  name: `${name} killed`,
  silences,
  happens: async (house) => {
    for (const part of parts) signalAll(pidsOf(house, part).slice(0, 1), 'SIGKILL');
  },
});

const stopped = (name: string, part: HousePart): Happening => ({
  name: `${name} stopped`,
  silences: false,
  happens: async (house) => signalAll(pidsOf(house, part), 'SIGTERM'),
});

/** Who leads callers past a gateway that is away is no part of the house. */
const failingOver = (service: string, happening: Happening): Happening =>
  service === gateway ? happening : { ...happening, failsOver: true };

const frozen = (name: string, seconds: number, pids: (house: House) => readonly number[]): Happening => ({
  name: `${name} frozen for ${seconds} s`,
  silences: false,
  happens: async (house) => {
    const those = pids(house);
    try {
      signalAll(those, 'SIGSTOP');
      await pause(seconds * 1000);
    } finally {
      signalAll(those, 'SIGCONT');
    }
  },
});

/** All processes but the first of each service: their connections stay open, and nothing comes through. */
const cutOff = (part: 'postgres' | 'nats' | 'event-store', name: string, seconds: number): Happening => ({
  ...frozen('', seconds, (house) => pidsOf(house, `link-${part}`)),
  name: `all but one of each service are cut off from ${name} for ${seconds} s`,
  failsOver: true,
});

const died: Happening = {
  name: 'the whole house is killed and started at once',
  silences: true,
  happens: async (house) => {
    house.kill9All();
    await house.start();
    house.lookAtLogs();
  },
};

const cut: Happening = {
  name: 'every connection to Postgres is cut',
  silences: false,
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
  silences: false,
  happens: async (house) => void (await house.advance(30)),
};

/** Requires a data folder on a file system of its own, or the disk of other programs would be filled. */
const fills = (fullMs: number): Happening => ({
  name: `the disk is full for ${fullMs / 1000} s`,
  silences: false,
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
});

/** To the processes of one service or gateway: of one of them, or of all at once. */
function ofServices(names: readonly string[], replicas: number, freezeSeconds: number): readonly Kind[] {
  const chosen = (chance: () => number): string => oneOf(names as [string, ...string[]], chance);
  const numbers = ([1, 2, 3, 4] as const).slice(0, replicas);
  const all = (service: string): readonly HousePart[] => numbers.map((n): HousePart => `${service}-${n}`);
  const one = (service: string, chance: () => number): HousePart =>
    oneOf(all(service) as [HousePart, ...HousePart[]], chance);
  const allOf = replicas === 2 ? 'both of' : 'all of';
  return [
    (chance) => {
      const service = chosen(chance);
      return failingOver(
        service,
        killed(`one of ${service} is`, [one(service, chance)], service === gateway),
      );
    },
    (chance) => {
      const service = chosen(chance);
      return failingOver(service, stopped(`one of ${service} is`, one(service, chance)));
    },
    (chance) => {
      const service = chosen(chance);
      return killed(`${allOf} ${service} are`, all(service), service === gateway);
    },
    (chance) => {
      const service = chosen(chance);
      const part = one(service, chance);
      return failingOver(
        service,
        frozen(`one of ${service} is`, freezeSeconds, (house) => pidsOf(house, part)),
      );
    },
    (chance) => {
      const service = chosen(chance);
      return frozen(`${allOf} ${service} are`, freezeSeconds, (house) =>
        all(service).flatMap((part) => pidsOf(house, part)),
      );
    },
  ];
}

/**
 * All that can be done to this house. The disk is filled only where it is a small one of its own; the clocks of a
 * cluster are left alone, and in a standalone no service can be killed alone. What happens to services counts twice in
 * a cluster: it is what a cluster is for.
 */
export function happenings(
  house: House,
  { house: kind, replicas, freezeSeconds }: Pick<CertifyOptions, 'house' | 'replicas' | 'freezeSeconds'>,
  disk: Disk['kind'],
): readonly [Kind, ...Kind[]] {
  const parts: readonly (readonly [HousePart, string])[] = [
    ['postgres', 'Postgres is'],
    ['nats', 'NATS is'],
    ['event-store', 'the event store is'],
    ['simulator', 'the push providers are'],
  ];
  const always = [
    ...parts.map(([part, name]) => killed(name, [part])),
    ...parts.map(([part, name]) => frozen(name, freezeSeconds, (it) => pidsOf(it, part))),
    cut,
    ...(disk === 'small' ? [fills(Math.min(maxFullMs, freezeSeconds * 1000))] : []),
    ...(kind === 'standalone'
      ? [jumps, frozen('the process of the services is', freezeSeconds, (it) => [it.state.pid])]
      : []),
  ];
  if (kind === 'standalone') return [() => died, ...always.map((each) => () => each)];
  const services = ofServices(house.services(), replicas, freezeSeconds);
  const cuts = [
    cutOff('postgres', 'Postgres', freezeSeconds),
    cutOff('nats', 'NATS', freezeSeconds),
    cutOff('event-store', 'the event store', freezeSeconds),
  ];
  return [() => died, ...[...always, ...cuts].map((each) => () => each), ...services, ...services];
}
