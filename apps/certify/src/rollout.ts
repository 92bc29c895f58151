import { checkout, type House, type HousePart, replaceProcess } from '@carillon/testkit';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Happening } from './faults';
import type { Release, Releases } from './releases';

const readyWithinMs = 120_000;
/** How long a mixture is under load before the next step. */
const restMs = 10_000;
/** Services before the gateway, since a service drops the fields of a newer gateway's request. */
const { services } = (await import(join(checkout, 'deploy/entrypoint.mjs'))) as {
  services: readonly string[];
};
const programs = [...services, 'gateway'];

const partsOf = (replica: 1 | 2): HousePart[] => programs.map((name): HousePart => `${name}-${replica}`);

/** One of two of everything runs the other release. */
export function beginMixed(releases: Releases): void {
  for (const part of partsOf(1)) releases.choose(part, 'this');
  for (const part of partsOf(2)) releases.choose(part, 'other');
}

/** The way of a rollout and back, process by process, as Kubernetes has it. */
export const rollouts = (house: House, releases: Releases): readonly Happening[] => [
  rest('half of each release runs'),
  ...partsOf(2).map((part) => rolled(house, releases, part, 'this')),
  rest('all of this release runs'),
  ...[...partsOf(1), ...partsOf(2)].map((part) => rolled(house, releases, part, 'other')),
  rest('all of the other release runs'),
  ...[...partsOf(1), ...partsOf(2)].map((part) => rolled(house, releases, part, 'this')),
];

const rest = (name: string): Happening => ({ name, silences: false, happens: () => pause(restMs) });

const rolled = (house: House, releases: Releases, part: HousePart, release: Release): Happening => ({
  name: `${part.replace(/-[12]$/, '')} is replaced by ${release === 'this' ? 'this' : 'the other'} release`,
  silences: false,
  happens: () => {
    releases.choose(part, release);
    return replaceProcess(house, part, readyWithinMs);
  },
});
