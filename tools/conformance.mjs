// npm run conformance: runs the conformance suite of the Model Context Protocol for both revisions against a standalone
// whose endpoint offers what the suite expects of a server. Fails when a scenario fails that is not among the exceptions.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { accountWithoutPhone, callerOf, startHouse } from '../bench/bench-house.mjs';
import { build } from './build.mjs';
import { root } from './setup.mjs';

const revisions = ['2026-07-28', '2025-11-25'];
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const fileOf = (name) => join(root, 'tools/conformance', name);
const imported = (name) => `--import=${pathToFileURL(fileOf(name)).href}`;

/** Adds the token, since the suite has none; all else goes through as it is. */
async function withToken(baseUrl, secret) {
  const { hostname, port } = new URL(baseUrl);
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request(
      { hostname, port, method, path: url, headers: { ...headers, authorization: `Bearer ${secret}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}/mcp`, close: () => server.close() };
}

async function run(url, revision) {
  console.log(`\nRevision ${revision}`);
  const exceptions = fileOf(`exceptions.${revision}.yaml`);
  const args = ['server', '--url', url, '--requirements', revision, '--expected-failures', exceptions];
  const child = spawn(process.execPath, [imported('globs.mjs'), suite, ...args], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

await build();
const house = await startHouse({ NODE_OPTIONS: imported('fixtures.mjs'), LOG_LEVEL: 'warn' });
try {
  const { secret } = await accountWithoutPhone(callerOf(house.state));
  const proxy = await withToken(house.state.baseUrl, secret);
  for (const revision of revisions) if (!(await run(proxy.url, revision))) process.exitCode = 1;
  proxy.close();
} finally {
  await house.stop();
}
