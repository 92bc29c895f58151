import { columns } from './columns';

const rung = [
  { bell: 'front', at: '2026-11-20T09:00:00Z' },
  { bell: 'back', at: null },
];

describe('columns of many rows', () => {
  it('name each row’s values once, for the text and for the parameters', () =>
    expect(columns({ bell: 'text', at: 'timestamptz' }, rung, ({ bell, at }) => ({ at, bell }))).toEqual({
      names: 'bell, at',
      rows: 'unnest($1::text[], $2::timestamptz[]) AS n (bell, at)',
      values: [
        ['front', 'back'],
        ['2026-11-20T09:00:00Z', null],
      ],
    }));

  it('may come after other parameters, under a name of their own', () =>
    expect(columns({ bell: 'text' }, rung, ({ bell }) => ({ bell }), { from: 3, as: 'rung' }).rows).toBe(
      'unnest($3::text[]) AS rung (bell)',
    ));

  it('make one text, however many rows there are', () => {
    const of = (rows: typeof rung) => columns({ bell: 'text' }, rows, ({ bell }) => ({ bell }));
    expect(of([])).toEqual({ ...of(rung), values: [[]] });
  });

  it('of which one is forgotten, or has another type, do not compile', () => {
    // @ts-expect-error `at` is missing
    columns({ bell: 'text', at: 'timestamptz' }, rung, ({ bell }) => ({ bell }));
    // @ts-expect-error a bell has a name
    columns({ bell: 'integer' }, rung, ({ bell }) => ({ bell }));
    // @ts-expect-error Postgres has no such type
    columns({ bell: 'txt' }, rung, ({ bell }) => ({ bell }));
    // @ts-expect-error undefined is no value
    columns({ at: 'timestamptz' }, rung, ({ at }) => ({ at: at ?? undefined }));
  });
});
