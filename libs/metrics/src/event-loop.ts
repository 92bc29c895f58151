import { openSync, closeSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { holdFinder, lookMs } from './hold';
import { eventLoopHoldSeconds } from './metrics';

/**
 * Measures from now on what holds the event loop of this process, and tells of each hold that is long enough to be
 * counted. It is the processor's time that counts, where the system tells that of a thread: a machine that gives its
 * processors to somebody else holds everybody up, which is no fault of ours. Gives how to stop.
 */
export function watchEventLoop(told: (heldMs: number) => void): () => void {
  const clock = threadClock();
  const finder = holdFinder();
  const collections = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) finder.collected(startTime, duration);
  });
  collections.observe({ entryTypes: ['gc'] });
  const timer = setInterval(() => {
    for (const heldMs of finder.look(performance.now(), clock.usedMs())) {
      eventLoopHoldSeconds.observe(heldMs / 1_000);
      told(heldMs);
    }
  }, lookMs).unref();
  return () => {
    clearInterval(timer);
    collections.disconnect();
    clock.close();
  };
}

/** The processor's time of the thread that asks; where the system does not tell, time as it passes. */
function threadClock(): { usedMs(): number; close(): void } {
  const wall = { usedMs: () => performance.now(), close: () => {} };
  let file: number;
  try {
    file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch {
    return wall;
  }
  const buffer = Buffer.alloc(64);
  const usedMs = (): number =>
    parseInt(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)), 10) / 1e6;
  // A kernel without these statistics says 0.
  if (usedMs() > 0) return { usedMs, close: () => closeSync(file) };
  closeSync(file);
  return wall;
}
