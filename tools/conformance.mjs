// npm run conformance: runs the conformance suite of the Model Context Protocol against a standalone: for both revisions
// against its endpoint, which offers what the suite expects of a server, and against its authorization server. Fails when
// a required scenario fails or warns, or when a scenario of authorization is left out.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
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

/** Gives whether the suite is content; `onLine` sees each line that it prints. */
async function run(args, onLine = () => {}) {
  const child = spawn(process.execPath, [imported('globs.mjs'), suite, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(line);
    onLine(line);
  }
  const [code] = await exited;
  return code === 0;
}

function runServer(url, revision) {
  console.log(`\nRevision ${revision}`);
  // No failure is expected. Only beside a list of such, empty as it is, does the suite count a warning as a failure.
  return run(['server', '--url', url, '--requirements', revision, '--expected-failures', '/dev/null']);
}

/** The client is registered as any other; the person who agrees in a browser is the first account. */
async function runAuthorization({ baseUrl, account }) {
  console.log('\nAuthorization');
  const { PersonBrowser } = await import('../dist/libs/testkit/src/person-browser.js');
  const browser = new PersonBrowser(baseUrl);
  await browser.signIn(account);
  const port = await freePort();
  const { client_id: clientId } = await callerOf({ baseUrl })('POST', '/oauth/register', {
    client_name: 'Conformance suite',
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
  });
  const client = ['--client-id', clientId, '--port', String(port), '--resource', `${baseUrl}/mcp`];
  let ended;
  let isComplete = true;
  const isContent = await run(['authorization', '--url', baseUrl, ...client], (line) => {
    if (/skipped/i.test(line) && !/\b0 skipped/i.test(line)) isComplete = false;
    if (line.startsWith(`${baseUrl}/oauth/authorize?`)) ended = browser.agree(line).then((url) => fetch(url));
  });
  const answer = await ended;
  return isContent && isComplete && answer?.ok === true;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

await build();
const house = await startHouse({ NODE_OPTIONS: imported('fixtures.mjs'), LOG_LEVEL: 'warn' });
try {
  const { secret } = await accountWithoutPhone(callerOf(house.state));
  const proxy = await withToken(house.state.baseUrl, secret);
  for (const revision of revisions) if (!(await runServer(proxy.url, revision))) process.exitCode = 1;
  proxy.close();
  if (!(await runAuthorization(house.state))) process.exitCode = 1;
} finally {
  await house.stop();
}
