import { eventually } from './eventually';

interface ReadableLog {
  readAll(
    after: bigint | undefined,
    count: number,
  ): Promise<{
    readonly events: readonly { readonly position: bigint }[];
    readonly last: bigint | undefined;
    readonly end: boolean;
  }>;
}

/** Scavenges the event store of the parts, and waits until the log has none of the events at these positions. */
export async function scavenge(
  start: (url: string) => Promise<unknown>,
  log: ReadableLog,
  positions: readonly bigint[],
): Promise<void> {
  await start(process.env['EVENTSTORE_URL'] ?? '');
  const gone = new Set(positions);
  await eventually(
    async () => ((await positionsIn(log)).some((position) => gone.has(position)) ? undefined : true),
    () => 'the scavenge has not removed the events',
  );
}

async function positionsIn(log: ReadableLog): Promise<bigint[]> {
  const positions: bigint[] = [];
  for (let after: bigint | undefined; ;) {
    const { events, last, end } = await log.readAll(after, 1_000);
    positions.push(...events.map(({ position }) => position));
    if (end || last === undefined) return positions;
    after = last;
  }
}
