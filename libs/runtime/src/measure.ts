import type { Feed, Log, Projections, QueueRunner } from '@carillon/event-store';
import {
  atEachLook,
  deadLetters,
  logOutageSeconds,
  partitions,
  partitionsOwned,
  projectionActive,
  projectionCurrent,
  projectionFilling,
  projectionLagEvents,
  projectionLagSeconds,
  projectionSetAside,
  queueDue,
  queueLeased,
  queueOldestSeconds,
  unreadableEvents,
  watchEventLoop,
} from '@carillon/metrics';
import { logger } from './logging';

/** Nothing that one caller asks for may make all others wait longer. */
const maxHoldMs = 100;

/** Sets the metrics of a service's projections and queues at each scrape. Returns a function that stops it. */
export function measureService(
  service: string,
  parts: { readonly projections: Projections; readonly queueRunner: QueueRunner },
): () => void {
  return atEachLook(async () => {
    for (const {
      projection,
      current,
      active,
      events,
      seconds,
      setAside,
      filling,
    } of parts.projections.lags()) {
      const labels = { service, projection };
      projectionCurrent.inc(labels, current ? 1 : 0);
      projectionActive.inc(labels, active ? 1 : 0);
      projectionSetAside.inc(labels, setAside);
      projectionFilling.inc(labels, filling ? 1 : 0);
      if (events !== undefined) projectionLagEvents.inc(labels, events);
      if (seconds !== undefined) projectionLagSeconds.inc(labels, seconds);
    }
    const shared = parts.projections.partitions();
    if (shared) {
      partitions.inc({ service }, shared.count);
      partitionsOwned.inc({ service }, shared.owned);
    }
    for (const { queue, due, oldestSeconds, leased, dead } of await parts.queueRunner.statuses()) {
      const labels = { service, queue };
      queueDue.inc(labels, due);
      queueOldestSeconds.inc(labels, oldestSeconds);
      queueLeased.inc(labels, leased);
      if (dead !== undefined) deadLetters.inc(labels, dead);
    }
  });
}

/**
 * Measures from now on what holds the event loop of this process, and logs what holds it too long. Gives how to stop.
 */
export const measureEventLoop = (name: string): (() => void) =>
  watchEventLoop((heldMs) => {
    if (heldMs > maxHoldMs) logger(name).warn({ heldMs: Math.round(heldMs) }, 'The event loop was held');
  });

/** Tells at each look how this process follows the log. Gives how to stop that. */
export const measureLog = (log: Log, feed: Feed): (() => void) =>
  atEachLook(() => {
    const { outage } = feed;
    logOutageSeconds.inc(outage ? (performance.now() - outage.sinceMs) / 1_000 : 0);
    unreadableEvents.inc(log.unreadable);
  });
