import { type Decider, type DomainEvent, fold } from '@carillon/eventing';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const sources = ['apps', 'libs'].flatMap((top) =>
  readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/src\/.*\.ts$/.test(file) && !/(\.spec|testbed)\.ts$/.test(file))
    .map((file) => ({ file: `${top}/${file}`, text: readFileSync(join(root, top, file), 'utf8') })),
);

const declared = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^export const (\w+): Decider</gm)].map(([, name]) => [name!, file] as const),
);

describe('a decider', () => {
  it('is found in each service', () => {
    const services = new Set(declared.map(([, file]) => file.split('/')[1]));
    expect(services.size).toBe(9);
    expect(declared.length).toBeGreaterThanOrEqual(40);
  });

  it.each(declared)('refuses an event type of a newer version: %s of %s', async (name, file) => {
    const exported: Readonly<Record<string, Decider<unknown, DomainEvent>>> = await import(join(root, file));
    const decider = exported[name]!;
    expect(() => fold(decider, [{ type: 'WrittenByANewerVersion' }])).toThrow(
      expect.objectContaining({
        reason: 'event.unknown',
        details: expect.objectContaining({ category: decider.category }),
      }),
    );
  });

  it('evolves by `fold` alone, which refuses unknown event types', () =>
    expect(sources.flatMap(({ file, text }) => (/\.evolve\b/.test(text) ? [file] : []))).toEqual([
      'libs/eventing/src/decider.ts',
    ]));
});
