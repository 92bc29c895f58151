import { Gauge } from 'prom-client';
import { registry } from './metrics';

type Measure = () => Promise<void> | void;

/** A part that is away, such as a frozen database, keeps nobody from seeing the rest. */
const timeoutMs = 3_000;

const measures = new Set<Measure>();
let looking: Promise<string> | undefined;

/**
 * Calls `measure` at each look at the metrics: gauges are 0 or without values then, and it adds what it finds (`inc`), so
 * that several of one kind in a process add up. Gives how to stop that.
 */
export function atEachLook(measure: Measure): () => void {
  measures.add(measure);
  return () => measures.delete(measure);
}

/** All metrics as text for Prometheus. Who looks while somebody does shares what they see. */
export function look(): Promise<string> {
  looking ??= lookNow().finally(() => (looking = undefined));
  return looking;
}

async function lookNow(): Promise<string> {
  // What cannot be measured now has no value, rather than the last one for ever.
  for (const metric of registry.getMetricsAsArray())
    if (metric instanceof Gauge && metric.name.startsWith('carillon_')) metric.reset();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([Promise.allSettled([...measures].map(async (measure) => await measure())), late]);
  clearTimeout(timer);
  return registry.metrics();
}
