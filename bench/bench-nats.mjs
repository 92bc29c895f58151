// A nats-server of the benchmark's own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

export async function startNats(folder, port) {
  const file = join(folder, 'nats.conf');
  writeFileSync(file, `listen: 127.0.0.1:${port}\njetstream { store_dir: ${JSON.stringify(folder)} }\n`);
  const child = spawn('nats-server', ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`nats-server ended: ${said}`)));
    child.stderr.on('data', (chunk) => {
      said += chunk;
      if (said.includes('Server is ready')) resolve();
    });
  });
  child.removeAllListeners('exit');
  const version = /Version:\s+(\S+)/.exec(said)?.[1];
  return { child, version };
}

export const end = async (child) => {
  child.kill();
  await once(child, 'exit');
};
