import {
  bool,
  count,
  either,
  exactly,
  id,
  list,
  named,
  nullable,
  object,
  oneOf,
  oneOfKnown,
  optional,
  resource,
  type Static,
  text,
  when,
} from './schema';

/** Compiles only where both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <Claim extends true>(claim?: Claim): Claim | undefined => claim;

const Phone = resource('Phone', { id: id('dev'), name: nullable(text()), seenAt: when() }, 'A phone.');
type Phone = Static<typeof Phone>;
const Person = resource('Person', { phones: list(Phone), best: nullable(Phone), nick: optional(text()) });

describe('a schema', () => {
  it('is JSON Schema', () =>
    expect(Phone.described).toEqual({
      type: 'object',
      description: 'A phone.',
      properties: {
        id: { type: 'string', maxLength: 200, pattern: '^dev_' },
        name: { type: ['string', 'null'] },
        seenAt: { type: 'string', format: 'date-time' },
      },
      required: ['id', 'name', 'seenAt'],
    }));

  it('points to what has a name, and tells what it points to', () => {
    expect(Person.described).toEqual({
      type: 'object',
      properties: {
        phones: { type: 'array', items: { $ref: '#/components/schemas/Phone' } },
        best: { anyOf: [{ $ref: '#/components/schemas/Phone' }, { type: 'null' }] },
        nick: { type: 'string' },
      },
      required: ['phones', 'best'],
    });
    expect(Person.parts.map(({ name }) => name)).toEqual(['Person', 'Phone', 'Phone']);
    expect(list(object({ one: Person })).parts.map(({ name }) => name)).toContain('Phone');
  });

  it('lets null be one of the values that may be null', () =>
    expect(nullable(oneOf(['a', 'b'])).json).toEqual({ type: ['string', 'null'], enum: ['a', 'b', null] }));

  it('does not close what may grow', () =>
    expect(nullable(oneOfKnown(['a'])).json).toEqual({
      type: ['string', 'null'],
      'x-extensible-enum': ['a'],
    }));

  it('tells ids apart by how they begin', () =>
    expect(id(['event:evt', 'notification:anot']).json['pattern']).toBe('^(event:evt|notification:anot)_'));

  it('that is no object can have a name too', () => {
    const state = named('State', oneOf(['on', 'off']));
    expect(object({ state }).json['properties']).toEqual({ state: { $ref: '#/components/schemas/State' } });
    expect(object({ state }).parts[0]?.described).toEqual({ type: 'string', enum: ['on', 'off'] });
  });

  it('can be one of several', () =>
    expect(either(Phone, exactly('none')).json).toEqual({
      anyOf: [{ $ref: '#/components/schemas/Phone' }, { const: 'none' }],
    }));

  it('has the type that it describes', () => {
    holds<Same<Phone, { id: string; name: string | null; seenAt: string }>>();
    holds<Same<Static<typeof Person>, { phones: Phone[]; best: Phone | null; nick?: string }>>();
    const more = object({ ...Phone.properties, active: bool(), state: oneOf(['on', 'off']), n: count() });
    holds<
      Same<
        Static<typeof more>,
        { id: string; name: string | null; seenAt: string; active: boolean; state: 'on' | 'off'; n: number }
      >
    >();
    const answered = either(object({ ok: exactly(true) }), Phone);
    holds<Same<Static<typeof answered>, { ok: true } | Phone>>();
    expect(answered.json['anyOf']).toHaveLength(2);
    expect(Object.keys(more.json['properties'] as object)).toEqual([
      ...['id', 'name', 'seenAt'],
      ...['active', 'state', 'n'],
    ]);
  });
});
