import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Off {
  readonly route: string;
  readonly clients: number;
  readonly off: { readonly rate: number; readonly p50: number };
}
interface Use {
  readonly name: string;
  readonly use: number;
}
interface Plan {
  readonly cells: number;
  readonly cell: { readonly programs: readonly Use[]; readonly parts: readonly Use[] };
}
interface Scale {
  readonly inputs: { readonly assumed: { readonly useAtMost: { readonly value: number } } };
  readonly within: { readonly rate: number; readonly p50: number };
  readonly totals: readonly number[];
  heldAgainstSeen(): readonly Off[];
  installation(work: string, rate: number): Plan['cell'];
  plan(work: string, total: number): Plan;
  figures(): string;
}

const root = join(import.meta.dirname, '..');
const scale = (await import(join(root, 'tools/scale.mjs'))) as Scale;
const plans = ['send', 'push'].flatMap((work) => scale.totals.map((total) => scale.plan(work, total)));
const usesOf = ({ cell }: Plan): readonly Use[] => [...cell.programs, ...cell.parts];

describe('what is reckoned of scale', () => {
  it('finds on one machine what was seen there, from one client to many', () => {
    const isOff = ({ off }: Off): boolean =>
      Math.abs(off.rate) > scale.within.rate || Math.abs(off.p50) > scale.within.p50;
    expect(scale.heldAgainstSeen().filter(isOff)).toEqual([]);
  });

  it('uses no part of a plan more than it should be used', () => {
    const most = scale.inputs.assumed.useAtMost.value;
    expect(most).toBeLessThan(1);
    expect(plans.flatMap(usesOf).filter(({ use }) => !(use >= 0 && use <= most + 1e-9))).toEqual([]);
  });

  it('takes the fewest cells that do', () => {
    const most = scale.inputs.assumed.useAtMost.value;
    for (const [index, { cells }] of plans.entries()) {
      if (cells === 1) continue;
      const total = scale.totals[index % scale.totals.length]!;
      const work = index < scale.totals.length ? 'send' : 'push';
      const inFewer = scale.installation(work, total / (cells - 1));
      expect(Math.max(...usesOf({ cells, cell: inFewer }).map(({ use }) => use))).toBeGreaterThan(most);
    }
  });

  it('is what the page says', () => {
    const neat = (text: string): string => text.replaceAll(/[ ]+/g, ' ').replaceAll(/-{3,}/g, '---');
    expect(neat(readFileSync(join(root, 'docs/scale.md'), 'utf8'))).toContain(neat(scale.figures()));
  });
});
