import { migrationsOf } from '@carillon/runtime';
import { modules } from './services';

type Migration = ReturnType<typeof migrationsOf>[number];

/** What takes away or changes something that the programs of the previous release may use, or blocks them. */
const contracting: readonly (readonly [RegExp, string])[] = [
  [/\bRENAME\b/i, 'RENAME'],
  [/\bDROP\b/i, 'DROP'],
  [/\bTRUNCATE\b/i, 'TRUNCATE'],
  [/\bSET\s+NOT\s+NULL\b/i, 'SET NOT NULL'],
  [/\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b/i, 'a changed type'],
  [/^ALTER\s+TABLE\b.*\bPRIMARY\s+KEY\b/is, 'a changed primary key'],
  [/^ALTER\s+TABLE\b.*\b(CONSTRAINT|CHECK|UNIQUE|REFERENCES|EXCLUDE)\b/is, 'a constraint'],
  [/^DO\b|\bEXECUTE\b/i, 'SQL that is not visible here'],
];
const addedColumn = /\bADD\s[^,]*/gi;
const newTable = /^CREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?!IF\b)(\w+)/i;
const blockingIndex = /^CREATE\s+(?:UNIQUE\s+)?INDEX\b(?!\s+CONCURRENTLY\b)/i;
const indexedTable = /\bON\s+(?:ONLY\s+)?(\w+)/i;
/** What has the same effect when a killed migration executes it again. */
const repeatable =
  /^(CREATE\s+(UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS|DROP\s+INDEX\s+CONCURRENTLY\s+IF\s+EXISTS|UPDATE|DELETE)\b/i;

/** The statements of a text, without comments and with empty strings: words in those are no SQL. */
const statementsOf = (text: string): string[] =>
  text
    .replace(/'(?:[^']|'')*'|--[^\n]*|\/\*.*?\*\//gs, (found) => (found.startsWith("'") ? "''" : ' '))
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');

/** Without what is in parentheses, whose commas separate no columns. */
const flat = (statement: string): string => {
  const flatter = statement.replace(/\([^()]*\)/g, '');
  return flatter === statement ? statement : flat(flatter);
};

function refusalsOf({ phase, statements: texts, long = false }: Migration): string[] {
  const statements = texts.flatMap(statementsOf);
  const created = new Set(statements.flatMap((statement) => newTable.exec(statement)?.[1] ?? []));
  return statements.flatMap((statement) => [
    ...(phase === 'expand' ? contractionsOf(statement, created) : []),
    ...(long && !repeatable.test(statement) ? ['in a long migration, what cannot be executed twice'] : []),
  ]);
}

function contractionsOf(statement: string, created: ReadonlySet<string>): string[] {
  const found = contracting.filter(([pattern]) => pattern.test(statement)).map(([, what]) => what);
  const columns = /^ALTER\b/i.test(statement) ? (flat(statement).match(addedColumn) ?? []) : [];
  if (columns.some((column) => /\bNOT\s+NULL\b/i.test(column) && !/\bDEFAULT\b/i.test(column)))
    found.push('a column that the previous release does not fill');
  // No program waits for the index of a table that the same migration creates.
  if (blockingIndex.test(statement) && !created.has(indexedTable.exec(statement)?.[1] ?? ''))
    found.push('an index without CONCURRENTLY');
  return found;
}

const expand = (...statements: string[]): Migration => ({ name: 'Change1', phase: 'expand', statements });
const long = (...statements: string[]): Migration => ({ ...expand(...statements), long: true });

describe('a migration that expands', () => {
  it.each([
    ['ALTER TABLE notes RENAME COLUMN body TO text', 'RENAME'],
    ['alter table notes rename to letters', 'RENAME'],
    ['ALTER INDEX notes_by_body RENAME TO notes_body', 'RENAME'],
    ['DROP TABLE notes', 'DROP'],
    ['ALTER TABLE notes ADD COLUMN a text, DROP COLUMN b', 'DROP'],
    ['ALTER TABLE notes ALTER body DROP NOT NULL', 'DROP'],
    ['SELECT 1; DROP INDEX notes_by_body', 'DROP'],
    ['TRUNCATE notes', 'TRUNCATE'],
    ['ALTER TABLE notes ALTER COLUMN body SET NOT NULL', 'SET NOT NULL'],
    ['ALTER TABLE notes ALTER body\n  SET  NOT\n NULL', 'SET NOT NULL'],
    ['ALTER TABLE notes ALTER COLUMN size TYPE bigint', 'a changed type'],
    ['ALTER TABLE notes ADD PRIMARY KEY (note_id, account_id)', 'a changed primary key'],
    ['ALTER TABLE notes\n ADD COLUMN id text PRIMARY KEY', 'a changed primary key'],
    ['ALTER TABLE notes ADD CHECK (size > 0)', 'a constraint'],
    ['ALTER TABLE notes ADD COLUMN key text UNIQUE', 'a constraint'],
    ['ALTER TABLE notes ADD COLUMN kind text NOT NULL', 'a column that the previous release does not fill'],
    [
      `ALTER TABLE notes ADD a numeric(20, 2) NOT NULL, ADD b text DEFAULT ''`,
      'a column that the previous release does not fill',
    ],
    ['CREATE INDEX notes_by_body ON notes (body)', 'an index without CONCURRENTLY'],
    ['CREATE UNIQUE INDEX ON ONLY "notes" (body)', 'an index without CONCURRENTLY'],
    [
      'CREATE TABLE IF NOT EXISTS notes (id text); CREATE INDEX ON notes (id)',
      'an index without CONCURRENTLY',
    ],
    [`DO $$ BEGIN EXECUTE 'DR' || 'OP TABLE notes'; END $$`, 'SQL that is not visible here'],
  ])('is refused with %s', (statement, what) => expect(refusalsOf(expand(statement))).toContain(what));

  it.each([
    ['CREATE TABLE drops (id text PRIMARY KEY, rename_at timestamptz NOT NULL, key text UNIQUE)'],
    ['CREATE UNLOGGED TABLE rates (key text); CREATE INDEX ON rates USING brin (key)'],
    [`ALTER TABLE notes ADD COLUMN size numeric(20, 2) NOT NULL DEFAULT 0, ADD COLUMN kind text`],
    [`UPDATE notes SET body = 'DROP; it''s RENAME' -- DROP\n WHERE body IS NULL /* SET NOT NULL */`],
  ])('is not refused with %s', (statement) => expect(refusalsOf(expand(statement))).toEqual([]));

  it('is not refused with an index that blocks nothing', () =>
    expect(
      refusalsOf(long('CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS notes_by_body ON notes (body)')),
    ).toEqual([]));
});

describe('a migration that contracts', () => {
  it('is not refused with what an earlier release stopped using', () =>
    expect(
      refusalsOf({ ...expand('ALTER TABLE notes DROP COLUMN body', 'DROP TABLE drafts'), phase: 'contract' }),
    ).toEqual([]));
});

describe('a long migration', () => {
  it.each([
    ['CREATE INDEX CONCURRENTLY notes_by_body ON notes (body)'],
    [`INSERT INTO notes VALUES ('n1')`],
    ['ALTER TABLE notes ADD COLUMN a text'],
  ])('is refused with %s, which cannot be executed twice', (statement) =>
    expect(refusalsOf(long(statement))).toEqual(['in a long migration, what cannot be executed twice']),
  );

  it('is not refused with a batch', () =>
    expect(
      refusalsOf(
        long(
          'UPDATE notes SET size = 0 WHERE id IN (SELECT id FROM notes WHERE size IS NULL LIMIT 1000)',
          'DELETE FROM drafts WHERE id IN (SELECT id FROM drafts LIMIT 1000)',
        ),
      ),
    ).toEqual([]));
});

describe.each(Object.keys(modules))('the migrations of %s', (service) => {
  const migrations = migrationsOf(service);

  it('follow the rules of docs/upgrades.md', () => {
    expect(migrations.length).toBeGreaterThan(1);
    expect(migrations.filter((migration) => refusalsOf(migration).length > 0)).toEqual([]);
  });

  it('have names of their own, which end with the 13 digits of their order', () => {
    const names = migrations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/\D\d{13}$/.test(name))).toEqual([]);
  });
});
