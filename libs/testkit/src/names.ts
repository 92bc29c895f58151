import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** What a name server says of a name: its addresses, that it has failed, or nothing at all. */
export type NameAnswer = readonly string[] | 'failure' | 'silence';

export interface NameServer {
  /** As a resolver takes it, `127.0.0.1:port`. */
  readonly address: string;
  /** The names that were asked for, each time. */
  readonly asked: readonly string[];
  /** From now on. A name that was never said does not exist. */
  says(name: string, answer: NameAnswer): void;
  stop(): Promise<void>;
}

const typeA = 1;
const typeAaaa = 28;
const serverFailure = 2;
const noSuchName = 3;

/** A name server that knows what a test tells it. */
export async function startNames(names: Readonly<Record<string, NameAnswer>> = {}): Promise<NameServer> {
  const known = new Map(Object.entries(names));
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(name);
    const answer = known.get(name);
    if (answer === 'silence') return;
    const addresses = Array.isArray(answer) ? answer : [];
    const fitting = addresses.filter((address) => (isIPv4(address) ? type === typeA : type === typeAaaa));
    const code = answer === undefined ? noSuchName : answer === 'failure' ? serverFailure : 0;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(fitting.length, 6);
    header.writeUInt32BE(0, 8);
    const records = fitting.map((address) => recordOf(address, type));
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    says: (name, answer) => void known.set(name, answer),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(address: string, type: number): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : groupsOf(address);
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
