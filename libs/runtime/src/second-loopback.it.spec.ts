import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Logger } from './logging';
import { listenOnSecondLoopback } from './second-loopback';

const warnings: string[] = [];
const logger = { warn: (_: object, message: string) => warnings.push(message) } as unknown as Logger;

/** What a server says at an address. */
async function ask(host: string, port: number): Promise<string> {
  const asked = request({ host, port, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  return text(answer);
}

let server: Server;
const portOf = () => (server.address() as AddressInfo).port;

beforeEach(async () => {
  server = createServer((asked, answer) => answer.end(asked.socket.remoteAddress)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => server.close());

describe('a server on 127.0.0.1', () => {
  it('serves [::1] too, until that is closed', async () => {
    const close = await listenOnSecondLoopback(server, logger);
    expect(await ask('127.0.0.1', portOf())).toBe('127.0.0.1');
    expect(await ask('::1', portOf())).toBe('::1');
    await close();
    await expect(ask('::1', portOf())).rejects.toThrow('ECONNREFUSED');
    expect(await ask('127.0.0.1', portOf())).toBe('127.0.0.1');
  });

  it('goes on alone where another program has the port', async () => {
    const other = createNetServer().listen(portOf(), '::1');
    await once(other, 'listening');
    const close = await listenOnSecondLoopback(server, logger);
    expect(warnings).toHaveLength(1);
    await close();
    other.close();
  });
});
