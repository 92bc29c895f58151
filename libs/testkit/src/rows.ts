import { eventually } from './eventually';

interface RowsReached {
  reached(name: string, position?: string): Promise<void>;
}

/**
 * Waits until the rows of a projection have everything up to a position of the log, however slow the machine is. Who
 * asks a service is refused after two seconds.
 */
export async function rowsReach(
  rows: RowsReached,
  name: string,
  position: bigint | string | undefined,
): Promise<void> {
  await eventually(
    () =>
      rows.reached(name, position?.toString()).then(
        () => true,
        (error: { reason?: string }) => {
          if (error.reason !== 'projection.behind') throw error;
        },
      ) as Promise<true | undefined>,
    () => `the rows of ${name} have not reached ${position}`,
    30_000,
  );
}
