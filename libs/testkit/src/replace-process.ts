import { eventually } from './eventually';
import type { House, HousePart } from './house';

/** Replaces a process of a cluster as a rollout does: stops it, and waits until the next one is ready. */
export async function replaceProcess(house: House, part: HousePart, withinMs = 60_000): Promise<void> {
  const [before] = house.pidsOf(part);
  const metrics = house.state.metricsUrls?.[part];
  if (before === undefined || metrics === undefined) throw new Error(`${part} is not running`);
  process.kill(before, 'SIGTERM');
  const isNext = (): boolean => {
    try {
      return house.pidsOf(part)[0] !== before;
    } catch {
      // It is being started.
      return false;
    }
  };
  await eventually(
    async () => {
      if (!isNext()) return undefined;
      const isReady = await fetch(new URL('/healthz/ready', metrics)).then(
        ({ ok }) => ok,
        () => false,
      );
      return isReady || undefined;
    },
    () => `${part} did not become ready`,
    withinMs,
  );
}
