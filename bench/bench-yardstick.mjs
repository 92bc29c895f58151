// A yardstick that no change of the product makes longer or shorter: HTTP and one question over NATS, and nothing else.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, freePort, startNats } from './bench-nats.mjs';

/** As a house is told of: the process, its parts, the address, and how it is stopped. */
export async function startYardstick() {
  const data = mkdtempSync(join(tmpdir(), 'carillon-bench-yardstick-'));
  const natsPort = await freePort();
  const { child: nats } = await startNats(data, natsPort);
  const env = { ...process.env, NODE_ENV: 'production', NATS_URL: `nats://127.0.0.1:${natsPort}` };
  const server = fork(join(import.meta.dirname, 'bench-yardstick-server.mjs'), { env });
  const [port] = await once(server, 'message');
  writeFileSync(join(data, 'children.json'), JSON.stringify([{ part: 'nats', pid: nats.pid }]));
  const stop = async () => {
    await end(server);
    await end(nats);
    rmSync(data, { recursive: true, force: true });
  };
  return { pid: server.pid, data, state: { baseUrl: `http://127.0.0.1:${port}` }, stop };
}
