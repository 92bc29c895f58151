import { isIPv4 } from 'node:net';

/** What a query asks for, and where its question ends. */
export function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** An address as the answer to the question of a query. */
export const addressRecord = (address: string, type: number): Buffer =>
  recordOf(isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : groupsOf(address), type);

/** A text as the answer to the question of a query, in its chunks of at most 255 bytes. */
export const textRecord = (chunks: readonly string[], type: number): Buffer =>
  recordOf(
    Buffer.concat(chunks.flatMap((chunk) => [Buffer.from([Buffer.byteLength(chunk)]), Buffer.from(chunk)])),
    type,
  );

function recordOf(data: Buffer, type: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(1, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function groupsOf(address: string): Buffer {
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const parts = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((part) => parseInt(part, 16));
  const [left, right] = [parts(before), parts(after ?? '')];
  const groups = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}
