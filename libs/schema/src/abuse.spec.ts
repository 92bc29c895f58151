import { check, compiled, viaClassValidator } from './check';
import { Id, Int, ListOf, ListOfShapes, Nested, Num, Opaque, Optional, Text } from './rules';

class Empty {}
class Item {
  @Id() id!: string;
  @Optional() @Int(1, 9) count?: number;
}
class Order {
  @Text(1, 20) name!: string;
  @Optional() @Num(0, 1) share?: number;
  @Optional() @ListOf(Id.rule('dev'), { min: 1, max: 20, unique: true }) ids?: string[];
  @Optional() @ListOfShapes(Item, { min: 1, max: 100 }) items?: Item[];
  @Optional() @Nested(Item) first?: Item;
  @Optional() @Opaque(1, 64) key?: string;
}

const json = (text: string): unknown => JSON.parse(text);
const issuesOf = (input: unknown) => {
  const checked = check(Order, input);
  expect(viaClassValidator(Order, input)).toEqual(checked);
  return checked.ok ? [] : checked.issues;
};
const codes = (input: unknown) => issuesOf(input).map(({ path, code }) => `${path}: ${code}`);

describe('names of the prototype', () => {
  it.each([
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__defineGetter__',
    'valueOf',
  ])('%s is an unknown field', (name) => {
    expect(codes(json(`{"name":"a","${name}":{"name":"b"}}`))).toEqual([`${name}: unknown_field`]);
    expect(codes(json(`{"name":"a","first":{"id":"x","${name}":1}}`))).toEqual([
      `first.${name}: unknown_field`,
    ]);
    expect(codes(json(`{"name":"a","items":[{"id":"x","${name}":1}]}`))).toEqual([
      `items.0.${name}: unknown_field`,
    ]);
    expect(check(Empty, json(`{"${name}":1}`)).ok).toBe(false);
  });
  it('cannot give a field', () => {
    expect(codes(json('{"__proto__":{"name":"a"}}'))).toEqual(['name: required', '__proto__: unknown_field']);
    expect(codes(Object.create({ name: 'a' }))).toEqual(['name: required']);
  });
  it('leave every object as it was', () => {
    check(
      Order,
      json('{"name":"a","__proto__":{"polluted":1},"first":{"id":"x","__proto__":{"polluted":1}}}'),
    );
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
  it('are known to an input without a prototype neither', () =>
    expect(check(Order, Object.assign(Object.create(null), { name: 'a' })).ok).toBe(true));
});

describe('nesting', () => {
  const nested = (levels: number, open = '{"a":', close = '}') =>
    json(open.repeat(levels - 1) + '{}' + close.repeat(levels - 1));
  it('of eight levels is read', () =>
    expect(codes(nested(8))).toEqual(['name: required', 'a: unknown_field']));
  it('of nine is refused as a whole', () => {
    expect(codes(nested(9))).toEqual([': invalid_format']);
    expect(codes({ name: 'a', ids: [[[[[[[[]]]]]]]] })).toEqual([': invalid_format']);
    expect(codes({ name: 'a', ids: [[[[[[[]]]]]]] })).toEqual(['ids.0: invalid_type']);
  });
  it('of thirty thousand is refused at once', () =>
    expect(codes({ name: 'a', ids: json('['.repeat(30_000) + ']'.repeat(30_000)) })).toEqual([
      ': invalid_format',
    ]));
});

describe('size', () => {
  /** By CPU time, and the best of some tries: other tests run beside this one. */
  const quickly = (work: () => void): void => {
    const tries = Array.from({ length: 5 }, () => {
      const before = process.cpuUsage();
      work();
      return process.cpuUsage(before).user / 1_000;
    });
    expect(Math.min(...tries)).toBeLessThan(100);
  };
  it.each<[string, unknown, string]>([
    ['too many ids', { name: 'a', ids: Array.from({ length: 30_000 }, () => 'x') }, 'ids: too_long'],
    ['too many shapes', { name: 'a', items: Array.from({ length: 30_000 }, () => ({})) }, 'items: too_long'],
    [
      'too many wrong shapes',
      { name: 'a', items: Array.from({ length: 30_000 }, () => 5) },
      'items: too_long',
    ],
    [
      'a list of lists',
      { name: 'a', items: [Array.from({ length: 30_000 }, () => ({ id: 'a' }))] },
      'items.0: invalid_type',
    ],
    [
      'a list for a shape',
      { name: 'a', first: Array.from({ length: 30_000 }, () => ({ id: 'a' })) },
      'first: invalid_type',
    ],
    ['a list for a text', { name: Array.from({ length: 30_000 }, () => 'a') }, 'name: invalid_type'],
    ['a long text', { name: 'a'.repeat(65_000) }, 'name: too_long'],
    ['a long text that composes', { name: 'e\u0301'.repeat(20_000) }, 'name: too_long'],
    ['a long text of white space', { name: ' '.repeat(65_000) }, 'name: too_short'],
  ])('%s is refused quickly', (_, input, issue) => {
    const outcome = check(Order, input);
    if (outcome.ok) throw new Error('It was accepted');
    expect(outcome.issues.map(({ path, code }) => `${path}: ${code}`)).toContain(issue);
    quickly(() => check(Order, input));
  });
  it('many things wrong are told up to fifty', () => {
    const extra = Object.fromEntries(Array.from({ length: 5000 }, (_, number) => [`x${number}`, number]));
    expect(issuesOf({ name: '', ...extra })).toHaveLength(50);
    expect(issuesOf({ name: 'a', items: Array.from({ length: 100 }, () => ({ ...extra })) })).toHaveLength(
      50,
    );
  });
  it('a refusal repeats no value and no endless name', () => {
    const told = JSON.stringify(
      issuesOf({ name: 'secret'.repeat(100), key: `hidden\u0000`, ['n'.repeat(60_000)]: 1 }),
    );
    expect(told).not.toMatch(/secret|hidden/);
    expect(told.length).toBeLessThan(1000);
  });
  it('a name of strange characters is told in text that can be stored', () => {
    const [issue] = issuesOf({ name: 'a', '\u0000\ud800\n': 1 });
    expect(issue?.path).toBe('?\ufffd?');
  });
});

describe('numbers that JSON does not have', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e309])(
    '%d is refused',
    (share) => {
      expect(codes({ name: 'a', share })).toEqual(['share: invalid_type']);
      expect(codes({ name: 'a', first: { id: 'x', count: share } })).toEqual(['first.count: invalid_type']);
    },
  );
  it('a number too large for JSON is infinite', () =>
    expect(codes(json('{"name":"a","share":1e999}'))).toEqual(['share: invalid_type']));
});

describe('a list without repeats', () => {
  it('refuses each repeat at its index', () =>
    expect(codes({ name: 'a', ids: ['x', 'y', 'x', 'y', 'z'] })).toEqual([
      'ids.2: not_unique',
      'ids.3: not_unique',
    ]));
  it('sees through white space', () =>
    expect(codes({ name: 'a', ids: ['x', ' x '] })).toEqual(['ids.1: not_unique']));
});

it('a list with holes has no value there', () => {
  const holes: unknown[] = ['x'];
  holes.length = 3;
  expect(check(Order, { name: 'a', ids: holes }).ok).toBe(false);
  expect(check(Order, { name: 'a', items: holes }).ok).toBe(false);
});

it('an instance that says it is another shape is read again', () => {
  const item = Object.assign(new Item(), { id: 'not an id' });
  expect(codes({ name: 'a', first: item })).toEqual(['first.id: invalid_format']);
  expect(compiled(Order)?.(Object.assign(new Order(), { name: 'a', first: item }))).toBe(false);
});
