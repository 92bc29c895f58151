import type { Context } from './envelope';

let readNewest: (() => Promise<bigint>) | undefined;

/** Sets how handlers read the position of the log's newest event. The bus does not know the log. */
export function readNewestWith(read: (() => Promise<bigint>) | undefined): void {
  readNewest = read;
}

/** The context of a request that must not be older than the newest event, with that event's position. */
export async function notBeforeNewest(context: Context): Promise<Context> {
  // A process without a log has no rows.
  if (!context.newest || !readNewest) return context;
  const { newest: _, after = '0', ...rest } = context;
  const newest = await readNewest();
  return { ...rest, after: BigInt(after) > newest ? after : String(newest) };
}
