import {
  check,
  compiled,
  fieldsOf,
  normalised,
  type Rule,
  type Shape,
  togetherOf,
  viaClassValidator,
} from '@carillon/schema';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { createECDH } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as contracts from './index';

type Bag = Record<string, unknown>;

/** All input shapes of the contracts, including nested ones. */
const shapes = new Set<Shape<object>>();
const asked = new Map<string, Shape<object>>();
const add = (shape: Shape<object>): void => {
  if (shapes.has(shape)) return;
  shapes.add(shape);
  for (const { rule } of fieldsOf(shape))
    if (rule?.asks.kind === 'shape' || rule?.asks.kind === 'shapes') add(rule.asks.shape);
};
for (const exported of Object.values<unknown>(contracts as Bag)) {
  if (typeof exported === 'function' && fieldsOf(exported as Shape<object>).length > 0)
    add(exported as Shape<object>);
  if (typeof exported !== 'object' || exported === null) continue;
  for (const contract of Object.values(exported))
    if (typeof contract === 'object' && contract !== null && 'input' in contract) {
      add(contract.input as Shape<object>);
      asked.set(String(contract.subject), contract.input as Shape<object>);
    }
}

const units = ['a', 'Z', '0', '_', '-', ' ', 'é', 'e\u0301', '🔔', '👨‍👩‍👧', '\u00a0', '"', '<'];
const wildUnits = [...units, '\n', '\t', '\r', '\u0000', '\u007f', '\ud800', '\udc00', '\u0085', '\ufeff'];
const textOf = (choice: string[], min: number, max: number) =>
  fc.array(fc.constantFrom(...choice), { minLength: min, maxLength: max }).map((found) => found.join(''));

/** Around a limit, in units that are more or fewer code points once they are normalised. */
const repeated = (max: number) =>
  fc
    .constantFrom(-1, 0, 1)
    .chain((over) =>
      fc.constantFrom('a', '🔔', 'e\u0301', '\u0958').map((unit) => unit.repeat(Math.max(0, max + over))),
    );

const texts = new Map<string, fc.Arbitrary<string>>();
/** Texts that match a form. Cached, since many rules share a form and building its generator is slow. */
function matching(form: RegExp): fc.Arbitrary<string> {
  const known = texts.get(String(form)) ?? fc.stringMatching(form);
  texts.set(String(form), known);
  return known;
}

/** Entries are compared as they are read: two texts of other code points, or of one more space, may be one. */
const asRead = (value: unknown): unknown => (typeof value === 'string' ? normalised(value) : value);

const yearMs = 365 * 24 * 3_600_000;
const stored = { min: new Date('1900-01-02'), max: new Date('2199-12-30') };
const near = { min: new Date(Date.now() - 19 * yearMs), max: new Date(Date.now() + 19 * yearMs) };

const points = [1, 2, 3].map((seed) => {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.alloc(32, seed));
  return pair.getPublicKey('base64url');
});

/** Values that fit a rule, nearly always. */
function fitting(rule: Rule): fc.Arbitrary<unknown> {
  const { asks } = rule;
  switch (asks.kind) {
    case 'text':
    case 'opaque':
      return textOf(units, 0, 12).map((text) =>
        [...`a${text}${'x'.repeat(asks.min)}`].slice(0, asks.max).join(''),
      );
    case 'formed': {
      const form = new RegExp(asks.pattern);
      return matching(form)
        .map((text) => text.padEnd(asks.min, 'A').slice(0, asks.max))
        .filter((text) => form.test(text));
    }
    case 'point':
      return fc.constantFrom(...points);
    case 'slug':
      return matching(new RegExp(asks.pattern));
    case 'glyph':
      return fc.oneof(matching(/^[a-z0-9._-]{1,20}$/), fc.constantFrom('🔔', '👨‍👩‍👧', '🇩🇪', '7️⃣', '❤️', '❤'));
    case 'id':
      return asks.pattern.includes('anot_')
        ? fc.constantFrom('anot_1', 'notification:anot_1')
        : matching(/^[a-z]{3}_[0-9a-hjkmnp-tv-z]{4,26}$/);
    case 'one_of':
      return fc.constantFrom(...asks.values);
    case 'link':
      return fc.oneof(fc.webUrl({ validSchemes: ['https'] }), fc.constant('https://a.example/ä?b=c'));
    case 'email':
      return matching(/^[a-z]{1,10}@[a-z]{2,10}\.(com|org)$/);
    case 'when':
      return fc
        .date({ noInvalidDate: true, ...(asks.years === undefined ? stored : near) })
        .chain((date) =>
          fc.constantFrom('Z', '+02:00', '-11:30', 'z').map((zone) => date.toISOString().replace('Z', zone)),
        );
    case 'int':
      return fc.integer({ min: asks.min, max: asks.max });
    case 'num':
      return fc.double({ min: asks.min, max: asks.max, noNaN: true });
    case 'bool':
      return fc.boolean();
    case 'list': {
      const limits = { minLength: asks.min, maxLength: Math.min(asks.max, 6) };
      return asks.unique
        ? fc.uniqueArray(fitting(asks.of), { ...limits, selector: asRead })
        : fc.array(fitting(asks.of), limits);
    }
    case 'shape':
      return bodyOf(asks.shape);
    case 'shapes':
      return fc.array(bodyOf(asks.shape), { minLength: asks.min, maxLength: Math.min(asks.max, 3) });
  }
}

/** Values that may or may not fit. */
function wild(rule: Rule | undefined): fc.Arbitrary<unknown> {
  const any: fc.Arbitrary<unknown>[] = [
    fc.constantFrom<unknown>(
      null,
      undefined,
      true,
      0,
      -1,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      -0,
      1e21,
      '',
      ' ',
    ),
    fc.constantFrom<unknown>(
      [],
      {},
      [null],
      [[]],
      [{}],
      { a: 1 },
      'null',
      'true',
      '1',
      'constructor',
      '__proto__',
    ),
    textOf(wildUnits, 0, 8),
    fc.jsonValue({ maxDepth: 3 }),
  ];
  if (!rule) return fc.oneof(...any);
  const { asks } = rule;
  if (
    'max' in asks &&
    asks.kind !== 'int' &&
    asks.kind !== 'num' &&
    asks.kind !== 'list' &&
    asks.kind !== 'shapes'
  )
    any.push(repeated(asks.max), repeated('min' in asks ? asks.min : 1));
  if (asks.kind === 'int' || asks.kind === 'num')
    any.push(fc.constantFrom(asks.min, asks.max, asks.min - 1, asks.max + 1, asks.min + 0.5));
  if (asks.kind === 'list' || asks.kind === 'shapes') {
    const entry =
      asks.kind === 'list'
        ? fc.oneof(fitting(asks.of), wild(asks.of))
        : fc.oneof(bodyOf(asks.shape), mutated(asks.shape), wild(undefined));
    any.push(fc.array(entry, { maxLength: 4 }));
    any.push(
      entry.chain((one) =>
        fc
          .constantFrom(asks.min - 1, asks.max, asks.max + 1, 2)
          .map((count) => Array.from({ length: Math.max(0, count) }, () => one)),
      ),
    );
  }
  if (asks.kind === 'shape') any.push(mutated(asks.shape));
  if (asks.kind === 'link')
    any.push(
      fc.webUrl({
        withFragments: true,
        validSchemes: ['http', 'https', 'ftp', 'javascript', 'file', 'myapp'],
      }),
      fc.constantFrom('https://a@b.example/', 'data:x', 'myapp:x', 'a:b'),
    );
  if (asks.kind === 'when')
    any.push(
      matching(
        /^20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,9})?(Z|[+-][0-2][0-9]:[0-6][0-9])$/,
      ),
    );
  if (asks.kind === 'email') any.push(fc.emailAddress());
  return fc.oneof(...any);
}

function bodyOf(shape: Shape<object>): fc.Arbitrary<Bag> {
  const entries: Record<string, fc.Arbitrary<unknown>> = {};
  const required: string[] = [];
  for (const { name, rule, optional, nullable } of fieldsOf(shape)) {
    entries[name] = nullable ? fc.option(fitting(rule!), { nil: null }) : fitting(rule!);
    if (!optional) required.push(name);
  }
  const faultsOf = (body: Bag) => togetherOf(shape).flatMap(({ faults }) => faults(body));
  return fc
    .record(entries, { requiredKeys: required })
    .map((body) => {
      // Few bodies of many optional fields fit by chance.
      const excess = new Set(faultsOf(body).map(({ path }) => path));
      return Object.fromEntries(Object.entries(body).filter(([name]) => !excess.has(name)));
    })
    .filter((body) => faultsOf(body).length === 0);
}

/** A valid body of which one field was changed, dropped or added. */
function mutated(shape: Shape<object>): fc.Arbitrary<Bag> {
  const fields = fieldsOf(shape);
  const strange = fc.constantFrom('extra', 'constructor', 'toString', 'hasOwnProperty');
  const changes: fc.Arbitrary<(body: Bag) => Bag>[] = [
    strange.chain((name) => wild(undefined).map((value) => (body: Bag) => ({ ...body, [name]: value }))),
  ];
  for (const { name, rule } of fields) {
    changes.push(wild(rule).map((value) => (body: Bag) => ({ ...body, [name]: value })));
    changes.push(
      fc.constant((body: Bag) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))),
    );
  }
  return fc.tuple(bodyOf(shape), fc.oneof(...changes)).map(([body, change]) => change(body));
}

/** As `toEqual`, which is only called on a difference, since it is the slowest part of this test. */
const same = (one: unknown, other: unknown): void => {
  if (!isDeepStrictEqual(one, other)) expect(one).toEqual(other);
};

const runs = 200;
const table = [...shapes].map((shape) => [shape.name, shape] as const);

it('there are shapes to try', () => {
  expect(table.length).toBeGreaterThanOrEqual(20);
  for (const [name, shape] of table) expect([name, typeof compiled(shape)]).toEqual([name, 'function']);
});

describe.each(table)('the compiled check of %s', (_, shape) => {
  const holdsShapes = fieldsOf(shape).some(
    ({ rule }) => rule?.asks.kind === 'shape' || rule?.asks.kind === 'shapes',
  );

  it('says yes to valid bodies, so that class-validator is not asked', () =>
    fc.assert(
      fc.property(bodyOf(shape), (body) => {
        const checked = check(shape, body);
        if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
        same(compiled(shape)?.(checked.value), true);
        same(viaClassValidator(shape, body), checked);
      }),
      { numRuns: runs / 4 },
    ));

  it('never accepts what class-validator refuses, and accepts the same values', () =>
    fc.assert(
      fc.property(mutated(shape), (body) => {
        const slow = viaClassValidator(shape, body);
        const fast = check(shape, body);
        same(fast, slow);
        if (slow.ok) same(compiled(shape)?.(slow.value), true);
        else same(slow.issues.length > 0, true);
      }),
      { numRuns: runs },
    ));

  // class-validator with no help of ours: the decorators of fields hold on their own.
  if (!holdsShapes && togetherOf(shape).length === 0 && fieldsOf(shape).length > 0)
    it('agrees with class-validator on the body as it came', () =>
      fc.assert(
        fc.property(mutated(shape), (body) => {
          const { ok } = check(shape, body);
          // It takes names of Object.prototype for known fields, or fails on them.
          if (Object.keys(body).some((name) => name in Object.prototype)) return same(ok, false);
          const raw = validateSync(Object.assign(new shape(), body), {
            whitelist: true,
            forbidNonWhitelisted: true,
          });
          same(ok, raw.length === 0);
        }),
        { numRuns: runs },
      ));
});

/** The body with one field more: at its top, or in one of the objects that it holds. With the path of the field. */
function* withOneMore(shape: Shape<object>, body: Bag, value: unknown, at = ''): Generator<[string, Bag]> {
  yield [`${at}addedLater`, { ...body, addedLater: value }];
  for (const { name, rule } of fieldsOf(shape)) {
    const held = body[name];
    if (typeof held !== 'object' || held === null) continue;
    if (rule?.asks.kind === 'shape')
      for (const [path, more] of withOneMore(rule.asks.shape, held as Bag, value, `${at}${name}.`))
        yield [path, { ...body, [name]: more }];
    if (rule?.asks.kind === 'shapes')
      for (const [index, entry] of (held as Bag[]).entries())
        for (const [path, more] of withOneMore(rule.asks.shape, entry, value, `${at}${name}.${index}.`))
          yield [path, { ...body, [name]: (held as Bag[]).with(index, more) }];
  }
}

describe('a field of a newer version', () => {
  const values = fc.constantFrom<unknown>(null, true, 1, 'text', [1], { a: { b: 'c' } });

  it('is tried with each contract', () => expect(asked.size).toBeGreaterThan(100));

  it.each([...asked])('is dropped on the bus and refused at the edge: %s', (_, shape) => {
    const paths = new Set<string>();
    fc.assert(
      fc.property(bodyOf(shape), values, (body, value) => {
        const known = check(shape, body);
        same(known.ok, true);
        for (const [path, newer] of withOneMore(shape, body, value)) {
          paths.add(path);
          same(check(shape, newer, { dropsUnknown: true }), known);
          same(check(shape, newer), {
            ok: false,
            issues: [{ path, message: 'is not a known field', code: 'unknown_field' }],
          });
        }
      }),
      { numRuns: 40 },
    );
    const nested = fieldsOf(shape).filter(({ rule }) => /^shapes?$/.test(rule?.asks.kind ?? ''));
    for (const field of ['addedLater', ...nested.map(({ name }) => `${name}.`)])
      expect([...paths].filter((path) => path.startsWith(field))).not.toEqual([]);
  });
});
