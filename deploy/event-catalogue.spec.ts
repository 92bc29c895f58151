import { withheldTypes } from '@carillon/contracts';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

interface Field {
  readonly shape: string;
  readonly since: string;
}
interface Catalogue {
  readonly released: string | null;
  readonly types: Readonly<
    Record<
      string,
      { readonly category: string; readonly since: string; readonly fields: Readonly<Record<string, Field>> }
    >
  >;
}
type Declared = Readonly<
  Record<string, { readonly category: string; readonly fields: Readonly<Record<string, string>> }>
>;
interface Tool {
  merged(catalogue: Catalogue, declared: Declared): Catalogue;
  releasedAs(version: string, catalogue: Catalogue): Catalogue;
}
const { merged, releasedAs } = (await import(join(root, 'tools/event-catalogue.mjs'))) as Tool;

const empty: Catalogue = { released: null, types: {} };
const rung = { category: 'bell', fields: { bell: 'string', by: 'object', 'by.name': 'null | string' } };
const first = releasedAs('0.1.0', merged(empty, { Rung: rung }));

describe('the catalogue of events', () => {
  it('is up to date', () => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/event-catalogue.mjs', '--check'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  }, 60_000);

  it('changes as the types do, before anything was released', () => {
    const changed = { Rung: { category: 'tower', fields: { bell: 'number' } } };
    expect(merged(merged(empty, { Rung: rung }), changed)).toMatchObject({
      released: null,
      types: { Rung: { category: 'tower', fields: { bell: { shape: 'number', since: 'unreleased' } } } },
    });
  });

  it('takes new types, and new fields that events of the log need not have', () => {
    const fields = {
      ...rung.fields,
      hour: 'number | undefined',
      at: 'object | undefined',
      'at.place': 'string',
    };
    const next = merged(first, { Rung: { ...rung, fields }, Oiled: { category: 'bell', fields: {} } });
    expect(next.types['Rung']?.fields).toMatchObject({
      bell: { since: '0.1.0' },
      hour: { since: 'unreleased' },
      'at.place': { since: 'unreleased' },
    });
    expect(next.types['Oiled']?.since).toBe('unreleased');
    expect(releasedAs('0.2.0', next).types['Oiled']?.since).toBe('0.2.0');
  });

  it.each<[string, Declared, RegExp]>([
    ['a type that is gone', {}, /Rung is gone/],
    [
      'a type in another category',
      { Rung: { ...rung, category: 'tower' } },
      /Rung has moved to another category/,
    ],
    ['a field that is gone', { Rung: { ...rung, fields: { by: 'object' } } }, /Rung\.bell is gone/],
    [
      'a field of another type',
      { Rung: { ...rung, fields: { ...rung.fields, bell: 'number' } } },
      /Rung\.bell was string, and is number/,
    ],
    [
      'a new field that events of the log would need',
      { Rung: { ...rung, fields: { ...rung.fields, hour: 'number' } } },
      /Rung\.hour is new/,
    ],
    [
      'a new field within a known one',
      { Rung: { ...rung, fields: { ...rung.fields, 'by.age': 'null | number' } } },
      /Rung\.by\.age is new/,
    ],
  ])('refuses %s', (_, declared, why) => expect(() => merged(first, declared)).toThrow(why));
});

describe('event types that are new', () => {
  const both: Declared = { Rung: rung, Oiled: { category: 'bell', fields: {} } };

  it('are none before the first release and in it', () => {
    expect(withheldTypes(merged(empty, both))).toEqual(new Set());
    expect(withheldTypes(releasedAs('0.1.0', merged(empty, both)))).toEqual(new Set());
  });

  it('are not written before the release after the one that introduces them', () => {
    const next = merged(first, both);
    expect(withheldTypes(next)).toEqual(new Set(['Oiled']));
    const second = releasedAs('0.2.0', next);
    expect(withheldTypes(second)).toEqual(new Set(['Oiled']));
    expect(withheldTypes(releasedAs('0.3.0', merged(second, both)))).toEqual(new Set());
  });
});
