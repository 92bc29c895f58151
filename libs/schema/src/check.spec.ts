import { IsHexColor, ValidateNested } from 'class-validator';
import { check, compiled, fieldsOf, viaClassValidator } from './check';
import {
  Bool,
  Id,
  Int,
  ListOf,
  ListOfShapes,
  Nested,
  Nullable,
  Num,
  OneOf,
  Opaque,
  Optional,
  Text,
  When,
} from './rules';
import { SomethingIn } from './together';

class Rotation {
  @When() handoffAt!: string;
  @Optional() @Int(1, 24) hours?: number;
}

class Hours {
  @Optional() @Int(1, 24) hours?: number;
}

class Group {
  @Id('ocg') id!: string;
  @Text(1, 80) name!: string;
  @Optional() @Nullable() @Text(1, 10) note?: string | null;
  @Nullable() @Text(1, 10) label!: string | null;
  @Optional() @Nested(Rotation) rotation?: Rotation;
  @Optional() @ListOfShapes(Rotation, { min: 1, max: 3 }) history?: Rotation[];
}

class Paged {
  @Optional() @Int(1, 100) limit?: number;
  @Optional() @Opaque(1, 512) cursor?: string;
}

class Search extends Paged {
  @Optional() @Bool() active?: boolean;
  @Optional() @Num(0, 1) share?: number;
  @Optional() @ListOf(OneOf.rule(['a', 'b']), { min: 1, max: 2, unique: true }) kinds?: string[];
  @Optional() @ListOf(Int.rule(1, 9), { min: 1, max: 2 }) steps?: number[];
  @Optional() @Text(1, 5) q?: string;
}

const whole = { name: 'Ops', label: null };
const path = { id: 'ocg_1' };
const issuesOf = (...given: Parameters<typeof check>) => {
  const checked = check(...given);
  return checked.ok ? [] : checked.issues.map(({ path, code }) => `${path}: ${code}`);
};

describe('an input', () => {
  it('becomes a fresh instance of its shape', () => {
    const body = { name: ' Ops ', label: 'x', rotation: { handoffAt: '2026-01-01T01:00:00+01:00' } };
    const before = structuredClone(body);
    const checked = check(Group, body, { path });
    expect(checked).toEqual({
      ok: true,
      value: { id: 'ocg_1', name: 'Ops', label: 'x', rotation: { handoffAt: '2026-01-01T00:00:00.000Z' } },
    });
    expect(checked.ok && checked.value).toBeInstanceOf(Group);
    expect(checked.ok && checked.value.rotation).toBeInstanceOf(Rotation);
    expect(body).toEqual(before);
  });
  it('that passed passes again, unchanged', () => {
    const once = check(Group, { ...whole, rotation: { handoffAt: '2026-01-01T01:00:00+01:00' } }, { path });
    const twice = check(Group, JSON.parse(JSON.stringify(once.ok && once.value)));
    expect(twice).toEqual(once);
  });
  it.each([null, 'text', 5, true, [], [{}]])('%j is refused as a whole', (input) =>
    expect(check(Group, input)).toEqual({
      ok: false,
      issues: [{ path: '', message: 'must be an object', code: 'invalid_type' }],
    }),
  );
  it('that is absent is like an empty one', () => {
    expect(check(Paged, undefined)).toEqual({ ok: true, value: {} });
    expect(issuesOf(Group, undefined)).toEqual(['id: required', 'name: required', 'label: required']);
  });
  it('names each issue, with its path', () =>
    expect(
      issuesOf(
        Group,
        {
          name: '',
          label: 5,
          rotation: { handoffAt: 'x', hour: 1 },
          history: [{ handoffAt: 1 }, 7],
          colour: 1,
        },
        { path },
      ),
    ).toEqual([
      'name: too_short',
      'label: invalid_type',
      'rotation.handoffAt: invalid_format',
      'history.1: invalid_type',
      'history.0.handoffAt: invalid_type',
      'rotation.hour: unknown_field',
      'colour: unknown_field',
    ]));
  it('loses its unknown fields at any depth, and nothing else, where that is asked for', () => {
    const rotation = { handoffAt: '2026-01-01T00:00:00.000Z' };
    const known = { ...whole, id: 'ocg_1', rotation, history: [rotation] };
    const more = { ...rotation, toString: 1, later: { deep: 1 } };
    const newer = { ...known, rotation: more, history: [more], constructor: 1, colour: 'red' };
    const before = structuredClone(newer);
    expect(check(Group, newer, { dropsUnknown: true })).toEqual({ ok: true, value: known });
    expect(newer).toEqual(before);
    expect(issuesOf(Group, { ...newer, name: '', history: [7] }, { dropsUnknown: true })).toEqual([
      'name: too_short',
      'history.0: invalid_type',
    ]);
  });
  it('is refused in words that an API may show', () =>
    expect(check(Group, { label: null, note: 'x'.repeat(11) }, { path })).toEqual({
      ok: false,
      issues: [
        { path: 'name', message: 'is required', code: 'required' },
        { path: 'note', message: 'must have at most 10 characters', code: 'too_long' },
      ],
    }));
});

describe('a field', () => {
  it('that is optional may be absent, not null', () => {
    expect(issuesOf(Group, { ...whole, rotation: undefined }, { path })).toEqual([]);
    expect(issuesOf(Group, { ...whole, rotation: null }, { path })).toEqual(['rotation: invalid_type']);
  });
  it('that is nullable may be null, not absent', () => {
    expect(issuesOf(Group, { name: 'a', label: null }, { path })).toEqual([]);
    expect(issuesOf(Group, { name: 'a' }, { path })).toEqual(['label: required']);
  });
  it('that is both may be either', () => {
    expect(check(Group, { ...whole, note: null }, { path })).toMatchObject({
      ok: true,
      value: { note: null },
    });
    expect(issuesOf(Group, whole, { path })).toEqual([]);
  });
  it('of another shape must be an object', () => {
    for (const rotation of ['x', 5, true, [], [{ handoffAt: '2026-01-01T00:00:00Z' }]])
      expect(issuesOf(Group, { ...whole, rotation }, { path })).toEqual(['rotation: invalid_type']);
  });
  it('that lists another shape must be a list of objects', () => {
    expect(issuesOf(Group, { ...whole, history: {} }, { path })).toEqual(['history: invalid_type']);
    expect(issuesOf(Group, { ...whole, history: [] }, { path })).toEqual(['history: too_short']);
    expect(issuesOf(Group, { ...whole, history: [null] }, { path })).toEqual(['history.0: invalid_type']);
    expect(
      issuesOf(Group, { ...whole, history: [[{ handoffAt: '2026-01-01T00:00:00Z' }]] }, { path }),
    ).toEqual(['history.0: invalid_type']);
  });
});

describe('a path parameter', () => {
  it('is a field that the body may not name', () =>
    expect(issuesOf(Group, { ...whole, id: 'ocg_2' }, { path })).toEqual(['id: unknown_field']));
  it('wins over the query silently', () =>
    expect(check(Group, { ...whole, id: 'ocg_2' }, { path, query: true })).toMatchObject({
      ok: true,
      value: { id: 'ocg_1' },
    }));
  it.each(['', ' ocg_1', 'a/b', 'a'.repeat(201), '\u212a'])('%j is not normalised into an id', (id) => {
    const issues = issuesOf(Group, whole, { path: { id } });
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) expect(issue).toMatch(/^id: /);
  });
  it('that the shape does not have is a mistake of ours', () =>
    expect(() => check(Paged, {}, { path })).toThrow('Paged has no rule for the path parameter "id"'));
});

describe('a query', () => {
  const query = (input: Record<string, unknown>) => check(Search, input, { query: true });
  it('has numbers and booleans as text', () =>
    expect(query({ limit: '20', active: 'true', share: '0.5', steps: ['1', '2'] })).toEqual({
      ok: true,
      value: { limit: 20, active: true, share: 0.5, steps: [1, 2] },
    }));
  it('takes one value for a list', () =>
    expect(query({ kinds: 'a', steps: '3' })).toEqual({ ok: true, value: { kinds: ['a'], steps: [3] } }));
  it('may have unknown names', () =>
    expect(query(JSON.parse('{"utm":"x","__proto__":"y","q":"a"}'))).toEqual({
      ok: true,
      value: { q: 'a' },
    }));
  it.each([
    [{ limit: ['1', '2'] }, 'limit: invalid_type'],
    [{ limit: '' }, 'limit: invalid_type'],
    [{ limit: '1.0' }, 'limit: invalid_type'],
    [{ limit: '0x10' }, 'limit: invalid_type'],
    [{ limit: '1e1' }, 'limit: invalid_type'],
    [{ limit: ' 1' }, 'limit: invalid_type'],
    [{ limit: '101' }, 'limit: too_big'],
    [{ limit: '-1' }, 'limit: too_small'],
    [{ active: '1' }, 'active: invalid_type'],
    [{ active: 'TRUE' }, 'active: invalid_type'],
    [{ q: ['a', 'b'] }, 'q: invalid_type'],
    [{ kinds: ['a', 'a'] }, 'kinds.1: not_unique'],
    [{ kinds: ['a', 'c'] }, 'kinds.1: invalid_value'],
    [{ cursor: '' }, 'cursor: too_short'],
  ])('%j is refused', (input, issue) => expect(issuesOf(Search, input, { query: true })).toEqual([issue]));
  it('is a body without these liberties otherwise', () =>
    expect(issuesOf(Search, { limit: '20', kinds: 'a', utm: 1 })).toEqual([
      'kinds: invalid_type',
      'limit: invalid_type',
      'utm: unknown_field',
    ]));
});

describe('a shape with a rule that is not ours', () => {
  class Painted {
    @Optional() @IsHexColor() colour?: string;
    @Text(1, 5) name!: string;
  }
  class Held {
    @ValidateNested() inner!: unknown;
  }
  it('has no compiled check and is left to class-validator', () => {
    expect(compiled(Painted)).toBeUndefined();
    expect(compiled(Held)).toBeUndefined();
    expect(check(Painted, { name: 'a', colour: '#fff' })).toEqual({
      ok: true,
      value: { name: 'a', colour: '#fff' },
    });
    expect(check(Painted, { name: '', colour: 'red', x: 1 })).toEqual({
      ok: false,
      issues: [
        { path: 'colour', message: 'must be a hexadecimal color', code: 'invalid_value' },
        { path: 'name', message: 'must not be empty', code: 'too_short' },
        { path: 'x', message: 'is not a known field', code: 'unknown_field' },
      ],
    });
  });
  it('is never accepted for the part that is ours alone', () => {
    class Twice {
      @Text(1, 5) @IsHexColor() colour!: string;
    }
    expect(compiled(Twice)).toBeUndefined();
    expect(check(Twice, { colour: 'red' }).ok).toBe(false);
  });
  it('makes those that hold it slow, not lax', () => {
    class Outer {
      @Nested(Painted) painted!: Painted;
    }
    expect(check(Outer, { painted: { name: 'a', colour: '#fff' } }).ok).toBe(true);
    expect(issuesOf(Outer, { painted: { name: 'a', colour: 'red' } })).toEqual([
      'painted.colour: invalid_value',
    ]);
  });
});

it('a shape may hold itself', () => {
  class Branch {
    @Text(1, 5) name!: string;
    branches?: Branch[];
  }
  Optional()(Branch.prototype, 'branches');
  ListOfShapes(Branch, { min: 0, max: 2 })(Branch.prototype, 'branches');
  expect(check(Branch, { name: 'a', branches: [{ name: 'b', branches: [] }] }).ok).toBe(true);
  expect(issuesOf(Branch, { name: 'a', branches: [{ name: 'b', branches: [{}] }] })).toEqual([
    'branches.0.branches.0.name: required',
  ]);
});

it('a shape tells what it asks for', () => {
  expect(fieldsOf(Group).map(({ name, optional, nullable }) => ({ name, optional, nullable }))).toEqual([
    { name: 'id', optional: false, nullable: false },
    { name: 'name', optional: false, nullable: false },
    { name: 'note', optional: true, nullable: true },
    { name: 'label', optional: false, nullable: true },
    { name: 'rotation', optional: true, nullable: false },
    { name: 'history', optional: true, nullable: false },
  ]);
  expect(fieldsOf(Group)[1]?.rule?.asks).toMatchObject({ kind: 'text', min: 1, max: 80, multiline: false });
  expect(fieldsOf(Search).map((field) => field.name)).toEqual([
    'active',
    'share',
    'kinds',
    'steps',
    'q',
    'limit',
    'cursor',
  ]);
});

it('class-validator alone answers the same', () => {
  const body = { id: 'ocg_1', name: ' a ', label: 5, x: 1 };
  expect(viaClassValidator(Group, body)).toEqual(check(Group, body));
});

describe('an object with something in it', () => {
  @SomethingIn('rotation', ['name'])
  class Change {
    @Optional() @Text(1, 80) name?: string;
    @Optional() @Nested(Hours) rotation?: Hours;
  }

  it('is asked for where it is all that comes', () =>
    expect(check(Change, { rotation: {} })).toMatchObject({ ok: false, empty: true }));
  it('is not beside another field', () => {
    expect(check(Change, { name: 'Core', rotation: {} })).toMatchObject({ ok: true });
    expect(check(Change, { rotation: { hours: 1 } })).toMatchObject({ ok: true });
  });
});
