import { keepFields, record } from './record';
import { count, flag, id, instant, listOf, nullable, oneOf } from './fields';

describe('a published field', () => {
  const some = 'anot_01jd3q5w00f8zb8k4t2m6x9yrc';
  const text = 'Call me at 555-0100';

  it.each([
    ['an id', id, some],
    ['a time', instant, '2026-11-20T09:00:00.000Z'],
    ['a count', count, 0],
    ['a flag', flag, false],
    ['a state', oneOf('pending', 'accepted'), 'accepted'],
    ['nothing', nullable(id), null],
    ['a list', listOf(id), [some, some]],
  ])('keeps %s', (_, field, value) => expect(field.keep(value)).toEqual(value));

  it.each([
    ['an id', id],
    ['a time', instant],
    ['a count', count],
    ['a flag', flag],
    ['a state', oneOf('pending', 'accepted')],
    ['an id or nothing', nullable(id)],
    ['a list of ids', listOf(id)],
    ['a record', record<{ a: string }>({ a: id })],
  ])('that is %s takes no text, in no form', (_, field) => {
    for (const value of [
      text,
      [text],
      { a: text },
      [{ a: text }],
      [some, text],
      `${some} ${text}`,
      `${some}\n`,
    ])
      expect(field.keep(value)).toBeUndefined();
  });

  it('of a record leaves the rest of it behind', () =>
    expect(record<{ a: string; b: string }>({ a: id }).keep({ a: some, b: text })).toEqual({ a: some }));

  it('that an old event does not have is null where it may be', () =>
    expect(keepFields({ a: nullable(id), b: id }, {})).toEqual({ data: { a: null }, unfit: ['b'] }));
});
