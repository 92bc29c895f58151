import {
  type Authority,
  eventually,
  findBrowser,
  type House,
  type HouseAccount,
  makeAuthority,
  portOf,
  PrivateApp,
  startHouse,
} from '@carillon/testkit';
import { newId } from '@carillon/signing';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';

const checkout = join(import.meta.dirname, '../../..');
const main = join(checkout, 'dist/apps/connector-gateway/src/main.js');
const hostname = 'tools.example.test';

let house: House;
let ada: HouseAccount;
let app: PrivateApp;
let appId: string;
let connectorId: string;
let authority: Authority;
let tunnel: Server;
let browser: Browser;
let program: ChildProcess;
let programPort: number;
let folder: string;

/** The program as somebody starts it, with a token that may do nothing else. Gives its port. */
async function startProgram(callbackSecret: string): Promise<number> {
  const token = await ada.session('POST', '/tokens', {
    body: { name: 'Gateway', scopes: ['connectors:read', 'connectors:write'] },
  });
  expect(token).toMatchObject({ status: 201 });
  program = spawn(process.execPath, [main, '--exit-with-parent'], {
    env: {
      PATH: process.env['PATH'],
      CARILLON_BASE_URL: house.state.baseUrl,
      CARILLON_API_TOKEN: token.body.secret,
      CONNECTOR_ID: connectorId,
      CONNECTOR_CALLBACK_SECRET: callbackSecret,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  program.stdout!.on('data', (data) => (output += String(data)));
  return eventually(
    () => {
      const port = /"port":(\d+),"msg":"listening"/.exec(output)?.[1];
      return port === undefined ? undefined : Number(port);
    },
    () => `the program does not listen: ${output}`,
    30_000,
  );
}

/** What a tunnel does: takes TLS for the public name, and speaks HTTP to the program. */
async function startTunnel(port: number): Promise<number> {
  tunnel = createServer(authority.server, (outside) => {
    const inside = connect(port, '127.0.0.1');
    outside.on('error', () => inside.destroy()).on('close', () => inside.destroy());
    inside.on('error', () => outside.destroy()).on('close', () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  });
  tunnel.on('tlsClientError', () => {}).listen(0, '127.0.0.1');
  await once(tunnel, 'listening');
  return portOf(tunnel);
}

beforeAll(async () => {
  const executablePath = await findBrowser();
  folder = mkdtempSync(join(tmpdir(), 'carillon-browser-'));
  authority = await makeAuthority([hostname]);
  [house, app] = await Promise.all([startHouse({ limits: 'off' }), PrivateApp.start()]);
  ada = await house.anotherAccount('Ada');
  const url = `https://${hostname}/tools`;
  const added = await ada.api('POST', '/apps', { body: { name: 'Tools', url } });
  appId = added.body.app.id;
  const registered = await ada.api('POST', '/connectors', {
    body: {
      name: 'At home',
      tunnelId: 'none',
      hostname,
      routes: [{ name: 'tools', url, target: app.url, appId, callbackPaths: ['/tools/answers'] }],
    },
  });
  expect(registered).toMatchObject({ status: 201 });
  connectorId = registered.body.connector.id;
  programPort = await startProgram(registered.body.callbackSecret);
  const port = await startTunnel(programPort);
  const { publicKey } = new X509Certificate(authority.server.cert);
  const pin = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
  browser = await puppeteer.launch({
    executablePath,
    userDataDir: folder,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      `--host-resolver-rules=MAP ${hostname}:443 127.0.0.1:${port}`,
      // The certificate of this test is as good as any: no error that is merely overlooked.
      `--ignore-certificate-errors-spki-list=${pin}`,
    ],
  });
}, 420_000);
afterAll(async () => {
  try {
    await browser?.close();
    if (program && program.exitCode === null) {
      program.kill('SIGTERM');
      await once(program, 'exit');
    }
    expect(program?.exitCode).toBe(0);
  } finally {
    tunnel?.close();
    authority?.remove();
    await app?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
    await house?.close();
  }
}, 120_000);

const textOf = (page: Page): Promise<string> => page.evaluate('document.body.innerText') as Promise<string>;

/** The link that Carillon gives somebody who opens the app. */
async function link(): Promise<string> {
  const issued = await ada.session('POST', `/apps/${appId}/passes`, {
    body: { connectorId, route: 'tools' },
  });
  expect(issued).toMatchObject({ status: 201 });
  return issued.body.url;
}

it('a browser opens a private app after consent, reloads it, loses it when that is revoked, and cannot go back', async () => {
  const page = await browser.newPage();

  // A visitor without a pass sees only the way to Carillon.
  const outside = await page.goto(`https://${hostname}/tools/page`);
  expect(outside!.status()).toBe(401);
  expect(await page.$eval('a', (anchor) => anchor.getAttribute('href'))).toBe(
    `${house.state.baseUrl}/apps/${appId}`,
  );
  expect(app.seen).toEqual([]);
  const way = await fetch(`${house.state.baseUrl}/apps/${appId}`);
  expect([way.status, way.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await way.text()).toContain('Open this app in Carillon');

  const consent = await ada.session('POST', `/apps/${appId}/consent`, {
    body: { shareName: true, shareEmail: false },
  });
  expect(consent).toMatchObject({ status: 200 });
  const first = new URL(await link());
  const withPass = `${first.origin}${first.pathname}/page${first.search}&view=all`;
  const opened = await page.goto(withPass);
  expect(opened!.status()).toBe(200);
  expect(page.url()).toBe(`https://${hostname}/tools/page?view=all`);
  expect(await textOf(page)).toBe('Private');
  expect(app.last).toMatchObject({
    url: '/page?view=all',
    headers: { 'carillon-user-id': ada.id, 'carillon-user-name': 'Ada', host: hostname },
  });
  expect(app.last!.headers).not.toHaveProperty('carillon-user-email');
  // The app's own cookie is in reach of its scripts, the session is not, and the app never sees it.
  expect(await page.evaluate('document.cookie')).toMatch(/^(app=1; other=2|other=2; app=1)$/);
  expect(JSON.stringify(app.seen)).not.toMatch(/carillon_(pass|gws)_|__Host-/);

  expect((await page.reload())!.status()).toBe(200);
  expect(await textOf(page)).toBe('Private');
  expect((await page.goto(withPass))!.status()).toBe(200);
  expect((await page.goto(`https://${hostname}/tools/page?second`))!.status()).toBe(200);

  // What the page has open is cut.
  const cut = page.evaluate(`new Promise((resolve, reject) => {
    const socket = new WebSocket('wss://${hostname}/tools/ws');
    socket.onopen = () => socket.send('Zoë');
    let answer;
    socket.onmessage = ({ data }) => { answer = data; window.isOpen = true; };
    socket.onclose = () => resolve(answer);
  })`);
  await page.waitForFunction('window.isOpen === true');
  expect(await ada.api('POST', `/apps/${appId}/revoke`, { body: {} })).toMatchObject({ status: 200 });
  expect(await cut).toBe('Zoë');

  const again = await page.reload();
  expect(again!.status()).toBe(401);
  expect(await textOf(page)).toContain('Your session has ended');
  const seen = app.seen.length;
  await page.goBack();
  expect(await textOf(page)).not.toContain('Private');
  expect((await page.goto(withPass))!.status()).toBe(401);
  expect((await page.goto(`https://${hostname}/tools/page`))!.status()).toBe(401);
  const cookies = await browser.cookies();
  expect(cookies.map(({ name }) => name).filter((name) => name.startsWith('__Host-'))).toEqual([]);
  expect(app.seen).toHaveLength(seen);
  expect(
    await ada.session('POST', `/apps/${appId}/passes`, { body: { connectorId, route: 'tools' } }),
  ).toMatchObject({
    status: 409,
    body: { code: 'CONSENT_REQUIRED' },
  });
});

/** What `webhooks` asks at each attempt, whose port 443 no test can have. */
const begin = `
const { Bus } = await import('./dist/libs/bus/src/bus.js');
const { Callbacks } = await import('./dist/libs/contracts/src/index.js');
const { accountId, input } = JSON.parse(process.env.QUESTION);
const bus = await Bus.open(undefined, 'callback of a test');
const { value } = await bus.ask(Callbacks.begin, input, {
  commandId: crypto.randomUUID(), correlationId: input.deliveryId,
  caller: { accountId, process: 'webhooks.replies' }, deadline: Date.now() + 10_000,
});
console.log(JSON.stringify(value));
await bus.close();
`;

it('an answer that Carillon sends through the connector reaches the app once, as it was sent', async () => {
  const body = JSON.stringify({ type: 'interaction.answered', text: 'Zoë' });
  const timestamp = Math.floor(Date.now() / 1000);
  const attempt = async () => {
    const input = {
      deliveryId: newId('whd', Date.now()),
      url: `https://${hostname}/tools/answers?from=carillon`,
      timestamp,
      body: Buffer.from(body).toString('base64'),
    };
    const env = {
      PATH: process.env['PATH'],
      ...house.busSettings('webhooks'),
      CARILLON_CALLER_KEY: house.callerKey,
      QUESTION: JSON.stringify({ accountId: ada.id, input }),
    };
    const asked = promisify(execFile)(process.execPath, ['--input-type=module', '-e', begin], {
      cwd: checkout,
      env,
    });
    const begun = JSON.parse((await asked).stdout) as { connectorId: string; url: string; signature: string };
    expect(begun.connectorId).toBe(connectorId);
    return begun;
  };
  const send = async ({ url, signature }: { url: string; signature: string }, sent = body) => {
    const response = await fetch(`http://127.0.0.1:${programPort}${new URL(url).pathname}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(timestamp),
        'connector-signature': signature,
      },
      body: sent,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const begun = await attempt();
  expect(new URL(begun.url).hostname).toBe(hostname);
  const altered = await send(begun, body.replace('Zoë', 'Eve'));
  expect(altered).toMatchObject({ status: 403, body: { code: 'CALLBACK_INVALID' } });
  expect(await send(begun)).toMatchObject({
    status: 200,
    body: { method: 'POST', url: '/answers?from=carillon', body, headers: { 'webhook-id': 'msg_1' } },
  });
  expect(await send(begun)).toMatchObject({ status: 403, body: { code: 'CALLBACK_INVALID' } });

  const next = await attempt();
  expect(await ada.api('PATCH', `/connectors/${connectorId}`, { body: { enabled: false } })).toMatchObject({
    status: 200,
  });
  expect(await send(next)).toMatchObject({ status: 403, body: { code: 'CONNECTOR_DISABLED' } });
  expect(app.seen.filter(({ url }) => url.startsWith('/answers'))).toHaveLength(1);
});
