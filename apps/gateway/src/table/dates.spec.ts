import { check, fieldsOf, type Shape } from '@carillon/schema';
import { rowName } from '../request/row';
import { agentTable } from './agent.table';
import { sessionTable } from './session.table';

const extremes = [
  ['0001-01-01T00:00:00.000Z', 'too_small'],
  ['1899-12-31T23:59:59.999Z', 'too_small'],
  ['2200-01-01T00:00:00Z', 'too_big'],
  ['9999-12-30T12:00:00Z', 'too_big'],
  ['9999-12-31T23:59:59.999Z', 'too_big'],
] as const;

/** The dates of a shape, also those of the objects that it holds. */
const datesIn = (shape: Shape<object>): string[][] =>
  fieldsOf(shape).flatMap(({ name, rule }) => {
    if (rule?.asks.kind === 'when') return [[name]];
    return rule?.asks.kind === 'shape' ? datesIn(rule.asks.shape).map((path) => [name, ...path]) : [];
  });

const holding = ([name, ...rest]: readonly string[], date: string): Record<string, unknown> =>
  name === undefined ? {} : { [name]: rest.length === 0 ? date : holding(rest, date) };

const dates = [...agentTable, ...sessionTable].flatMap((row) => {
  const shape = row.contract?.input as Shape<object> | undefined;
  return shape ? datesIn(shape).map((path) => ({ route: rowName(row), shape, path, row })) : [];
});

describe('a date', () => {
  it('is taken by these routes, among others', () =>
    expect(dates.map(({ route, path }) => `${route} ${path.join('.')}`)).toEqual(
      expect.arrayContaining([
        'GET /api/agent/oncall/:groupId at',
        'GET /api/agent/oncall/:groupId/explain at',
        'POST /api/agent/teams/:id/oncall rotation.startsAt',
        'POST /api/agent/oncall/:groupId/overrides endsAt',
      ]),
    ));

  it.each(dates.map((each) => [each.route, each.path.join('.'), each] as const))(
    'of %s that is far from now is refused: %s',
    (_route, name, { shape, path, row }) => {
      for (const [date, code] of extremes) {
        const checked = check(
          shape,
          holding(path, date),
          row.method === 'GET' ? { query: true, path: {} } : { path: {} },
        );
        const issues = checked.ok ? [] : checked.issues;
        expect(issues.filter((issue) => issue.path === name)).toMatchObject([{ code }]);
      }
    },
  );
});
