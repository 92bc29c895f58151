import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import official, { type EventStoreDBClient as Client, type ResolvedEvent } from '@eventstore/db-client';

export const { jsonEvent, binaryEvent, streamNameFilter, eventTypeFilter } = official;

/** A folder that is gone after the tests. */
export function temporaryFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'emulator-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The official client. One appending client per process: two of them share a table of pending appends. */
export const client = (connectionString: string): Client =>
  official.EventStoreDBClient.connectionString(connectionString);

/** All that a read gives. */
export async function all<T>(read: AsyncIterable<T>): Promise<T[]> {
  const events: T[] = [];
  for await (const event of read) events.push(event);
  return events;
}

/** What is left of an event when only its content matters. */
export const short = ({ event }: ResolvedEvent): string =>
  `${event?.streamId}:${event?.revision}:${event?.type}`;

/** The error that a promise is expected to end with. */
export async function failure(promise: Promise<unknown>): Promise<Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new Error('it was expected to fail');
}

/** Waits until something is so. */
export async function until(isSo: () => boolean, within = 20_000): Promise<void> {
  const end = Date.now() + within;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not so within ${within} ms: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
