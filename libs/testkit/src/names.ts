import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { addressRecord, questionOf, textRecord } from './dns';

/** What a name server says of a name: its addresses, its texts in chunks, that it has failed, or nothing at all. */
export type NameAnswer =
  readonly string[] | { readonly texts: readonly (readonly string[])[] } | 'failure' | 'silence';

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
const typeText = 16;
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
    const records = recordsOf(answer, type);
    const code = answer === undefined ? noSuchName : answer === 'failure' ? serverFailure : 0;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  // A test that does not come to stop it can end all the same.
  socket.unref();
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    says: (name, answer) => void known.set(name, answer),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Those of the type that is asked for. */
function recordsOf(answer: NameAnswer | undefined, type: number): Buffer[] {
  if (answer === undefined || typeof answer === 'string') return [];
  if ('texts' in answer)
    return type === typeText ? answer.texts.map((chunks) => textRecord(chunks, type)) : [];
  return answer
    .filter((address) => (isIPv4(address) ? type === typeA : type === typeAaaa))
    .map((address) => addressRecord(address, type));
}
