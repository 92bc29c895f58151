import { Gauge } from 'prom-client';
import { registry } from './metrics';

type Measure = () => Promise<void> | void;

/** Timeout of a measurement: a part that is down, such as a frozen database, must not block the other metrics. */
const timeoutMs = 3_000;

const measures = new Set<Measure>();
let looking: Promise<string> | undefined;

/**
 * Calls `measure` at each look at the metrics: gauges are 0 or without values then, and it adds what it finds (`inc`),
 * so that several of one kind in a process add up. Gives how to stop that.
 */
export function atEachLook(measure: Measure): () => void {
  measures.add(measure);
  return () => measures.delete(measure);
}

/** All metrics as text for Prometheus. Concurrent scrapes share one measurement. */
export function look(): Promise<string> {
  looking ??= lookNow().finally(() => (looking = undefined));
  return looking;
}

async function lookNow(): Promise<string> {
  // A failed measurement leaves no value, rather than the last one for ever.
  for (const metric of registry.getMetricsAsArray())
    if (metric instanceof Gauge && metric.name.startsWith('carillon_')) metric.reset();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)));
  await Promise.race([Promise.allSettled([...measures].map(async (measure) => await measure())), late]);
  clearTimeout(timer);
  return registry.metrics();
}
