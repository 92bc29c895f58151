import { columns } from './columns';

const rung = [
  { bell: 'front', at: '2026-11-20T09:00:00Z' },
  { bell: 'back', at: null },
];

describe('columns of many rows', () => {
  it('are named once, for the text and for the parameters', () =>
    expect(columns({ bell: 'text', at: 'timestamptz' }, rung, ({ bell, at }) => ({ at, bell }))).toEqual({
      names: 'bell, at',
      rows: 'unnest($1::text[], $2::timestamptz[]) AS n (bell, at)',
      values: [
        ['front', 'back'],
        ['2026-11-20T09:00:00Z', null],
      ],
    }));

  it('may follow other parameters, under their own alias', () =>
    expect(columns({ bell: 'text' }, rung, ({ bell }) => ({ bell }), { from: 3, as: 'rung' }).rows).toBe(
      'unnest($3::text[]) AS rung (bell)',
    ));

  it('give one text for any number of rows', () => {
    const of = (rows: typeof rung) => columns({ bell: 'text' }, rows, ({ bell }) => ({ bell }));
    expect(of([])).toEqual({ ...of(rung), values: [[]] });
  });

  it('with one missing or of another type do not compile', () => {
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
