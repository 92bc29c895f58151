import type { Change } from '@carillon/contracts';

/** Milliseconds after which a browser comes back when the connection was lost. */
const comeBackMs = 2_000;

/** The first words of a stream: how to come back, and from where. An id alone tells the client nothing else. */
export const opening = (position: string): string => `retry: ${comeBackMs}\n${reached(position)}`;

/** Everything up to here was told. */
export const reached = (position: string): string => `id: ${position}\n\n`;

/** Shows proxies and clients that the connection lives. */
export const heartbeat = ':\n\n';

/** The missed changes are unknown: the client reads everything again. */
export const reset = (position: string): string => frame('reset', position, { position });

export function changed(change: Change): string {
  const { topic, position, ...told } = change;
  return frame(`${topic}.changed`, position, { ...told, position });
}

const frame = (event: string, id: string, data: object): string =>
  `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
