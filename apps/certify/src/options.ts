import { parseArgs } from 'node:util';

export const usage = `npm run certify: kills parts of a house under load, and looks whether every promise was kept.

  --kills=<n>    how often something is done to it; default 20
  --seed=<n>     decides what is done, in which order; default by chance
  --house=<h>    standalone: all services in one process; cluster: several processes of each, several gateways; default
                 standalone
  --replicas=<n> how many of each a cluster has, 2 to 4; default 2
  --only=<text>  does nothing but what has this text in its name, such as --only='cut off'
  --freeze=<s>   for how many seconds a process is frozen, and at most for how many the disk is full; default 20
  --beside=<commit>  kills nothing; runs a cluster half of this release and half of that one, then all of this one, then
                 all of that one, and then of this one again
  --out=<file>   where the report goes; default: the terminal
  --key=<file>   a private Ed25519 key (PEM) that signs it; default: one of this run alone
  --check=<file> does nothing but say whose key has signed this report
  --help

Ends with 0 only when all held. Ctrl-C or SIGTERM ends it early: what was done by then is judged; once more ends it at
once.
`;

/** What a house can be. */
const houses = ['standalone', 'cluster'] as const;
export type HouseKind = (typeof houses)[number];

export interface CertifyOptions {
  readonly help: boolean;
  readonly kills: number;
  readonly seed: number;
  readonly house: HouseKind;
  /** Of a cluster: how many processes of each service, and how many gateways. */
  readonly replicas: number;
  readonly freezeSeconds: number;
  /** In the name of all that is done; empty for all. */
  readonly only: string;
  /** Another release, as Git names its commit, beside which this one is run. */
  readonly beside: string | undefined;
  readonly out: string | undefined;
  readonly keyFile: string | undefined;
  /** A report to look at, and nothing more. */
  readonly check: string | undefined;
}

/** What the command line says. Throws what cannot be followed. */
export function readOptions(args: readonly string[], chance: () => number): CertifyOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: 'string' },
      seed: { type: 'string' },
      house: { type: 'string' },
      replicas: { type: 'string' },
      freeze: { type: 'string' },
      only: { type: 'string' },
      beside: { type: 'string' },
      out: { type: 'string' },
      key: { type: 'string' },
      check: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  const whole = (name: string, given: string | undefined, otherwise: number): number => {
    if (given === undefined) return otherwise;
    if (!/^\d{1,9}$/.test(given)) throw new Error(`--${name} must be a whole number`);
    return Number(given);
  };
  const house = houses.find((kind) => kind === (values.house ?? 'standalone'));
  if (values.beside !== undefined && house !== 'cluster') throw new Error('--beside needs --house=cluster');
  const replicas = whole('replicas', values.replicas, 2);
  if (replicas < 2 || replicas > 4) throw new Error('--replicas must be a number from 2 to 4');
  if (values.replicas !== undefined && house !== 'cluster')
    throw new Error('--replicas needs --house=cluster');
  if (replicas !== 2 && values.beside !== undefined) throw new Error('--beside takes two of each');
  if (!house) throw new Error(`--house must be one of ${houses.join(', ')}`);
  return {
    help: values.help ?? false,
    kills: whole('kills', values.kills, 20),
    seed: whole('seed', values.seed, Math.floor(chance() * 1_000_000_000)),
    house,
    replicas,
    freezeSeconds: whole('freeze', values.freeze, 20),
    only: values.only ?? '',
    beside: values.beside,
    out: values.out,
    keyFile: values.key,
    check: values.check,
  };
}
