import { eventually } from './eventually';

interface Rows {
  query(text: string): Promise<unknown>;
}
interface Lags {
  lags(): readonly { readonly projection: string; readonly setAside: number }[];
  settleSetAside(name: string, accountId: string, how: 'retry' | 'drop'): Promise<boolean>;
}

/** The rows of a table for which Postgres refuses every change, as a constraint or a bug would. */
export interface Poisoned {
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

/** Poisons rows. Returns what heals them. */
export async function poison(
  rows: Rows,
  { table, column, value }: Poisoned,
): Promise<() => Promise<unknown>> {
  const name = `poison_${table}`;
  await rows.query(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF '${value}' IN (NEW.${column}, OLD.${column}) THEN RAISE 'poisoned'; END IF; RETURN coalesce(NEW, OLD); END $$`);
  await rows.query(
    `CREATE TRIGGER ${name} BEFORE INSERT OR UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`,
  );
  return () => rows.query(`DROP FUNCTION ${name}() CASCADE`);
}

/** Waits until a projection has set this number of accounts aside. */
export const setAside = (projections: Lags, name: string, count = 1): Promise<true> =>
  eventually(
    () => projections.lags().some((lag) => lag.projection === name && lag.setAside === count) || undefined,
    () => `${name} has not set ${count} accounts aside`,
  );

/** Applies the events that a projection left out for an account, and waits until this process serves it again. */
export async function rejoin(
  projections: Lags,
  name: string,
  accountId: string,
  how: 'retry' | 'drop' = 'retry',
): Promise<boolean> {
  const isSettled = await projections.settleSetAside(name, accountId, how);
  if (isSettled) await setAside(projections, name, 0);
  return isSettled;
}
