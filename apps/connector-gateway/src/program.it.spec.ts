import { mintSecret, newId, signWebhook } from '@carillon/signing';
import { eventually, freePort, PlayedCarillon, type PlayedQuestion, PrivateApp } from '@carillon/testkit';
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const main = join(import.meta.dirname, '../../../dist/apps/connector-gateway/src/main.js');
const connectorId = newId('con', 1_700_000_000_000);
const hostname = 'tools.example.test';
const callbackSecret = `whsec_${randomBytes(32).toString('base64')}`;
const keyOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

/** The program as it is started beside a private service. */
class Started {
  output = '';
  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (data) => (this.output += String(data)));
  }

  static run(env: Record<string, string>, args: readonly string[] = []): Started {
    const clean = { PATH: process.env['PATH']!, HOME: process.env['HOME'] ?? '', PORT: '0' };
    return new Started(
      spawn(process.execPath, [main, '--exit-with-parent', ...args], {
        env: { ...clean, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
  }

  lines(): { msg: string; level: string; port?: number; hostname?: string }[] {
    return this.output
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  }

  /** Where it listens. */
  url(): Promise<string> {
    return eventually(
      () => {
        if (this.child.exitCode !== null) throw new Error(`it ended: ${this.output}`);
        const port = this.lines().find(({ msg }) => msg === 'listening')?.port;
        return port === undefined ? undefined : `http://127.0.0.1:${port}`;
      },
      () => `it does not listen: ${this.output}`,
    );
  }

  async end(signal?: NodeJS.Signals): Promise<number | null> {
    if (signal) this.child.kill(signal);
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

describe('the program', () => {
  let folder: string;
  let app: PrivateApp;
  let carillon: PlayedCarillon;
  let program: Started | undefined;
  let target: string;
  let callback: (question: PlayedQuestion) => { status: number; body: object };

  const env = () => ({
    CARILLON_BASE_URL: carillon.url,
    CARILLON_API_TOKEN: 'carillon_pat_x',
    CONNECTOR_ID: connectorId,
    CONNECTOR_CALLBACK_SECRET: callbackSecret,
  });
  const connector = () => ({
    id: connectorId,
    enabled: true,
    hostname,
    routes: [
      { name: 'hooks', url: `https://${hostname}/hooks`, target, enabled: true },
      { name: 'dead', url: `https://${hostname}/dead`, target: 'http://127.0.0.1:1', enabled: true },
      { name: 'admin', url: `https://${hostname}/hooks/admin`, target, enabled: false },
    ],
  });
  const no = (code: string) => ({ status: 403, body: { error: 'no', code } });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-gateway-'));
    app = await PrivateApp.start();
    target = `${app.url}/base`;
    callback = () => no('CALLBACK_INVALID');
    carillon = await PlayedCarillon.start((question) =>
      question.path.endsWith('/callback-access')
        ? callback(question)
        : { status: 200, body: { connector: connector(), heartbeatIntervalSeconds: 1 } },
    );
  });
  afterEach(async () => {
    await program?.end('SIGKILL');
    program = undefined;
    await carillon.stop();
    await app.stop();
    rmSync(folder, { recursive: true });
  });

  it('tells how it is used', async () => {
    program = Started.run({}, ['--help']);
    expect(await program.end()).toBe(0);
    expect(program.output).toBe(readFileSync(join(import.meta.dirname, 'help.txt'), 'utf8'));
  });

  it('says in one line all that is missing or cannot be used', async () => {
    program = Started.run({ CARILLON_BASE_URL: 'carillon.example', CONNECTOR_ID: 'con_x' });
    expect(await program.end()).toBe(1);
    expect(program.output.split('\n')).toHaveLength(2);
    for (const part of [
      'CARILLON_BASE_URL is not the address',
      'CARILLON_API_TOKEN is missing',
      'CONNECTOR_ID is not',
      'CONNECTOR_CALLBACK_SECRET is missing',
    ])
      expect(program.output).toContain(part);
  });

  it('ends when Carillon refuses its token', async () => {
    carillon.answer = () => ({ status: 401, body: { error: 'no', code: 'TOKEN_INVALID' } });
    program = Started.run(env());
    expect(await program.end()).toBe(1);
    expect(program.output).toMatch(/^connector-gateway: Carillon refuses .*TOKEN_INVALID/);
  });

  it('takes its secrets from files, makes its key once, and beats with the health of its routes', async () => {
    const inFile = (name: string, value: string) => {
      writeFileSync(join(folder, name), `${value}\n`);
      return { [`${name}_FILE`]: join(folder, name) };
    };
    const settings = Object.assign({}, ...Object.entries(env()).map(([name, value]) => inFile(name, value)));
    const keyFile = join(folder, 'keys', 'assertion.pem');
    const keys = async () => {
      program = Started.run({ ...settings, CONNECTOR_KEY_PATH: keyFile });
      const text = await (
        await fetch(`${await program.url()}/.well-known/carillon-gateway/jwks.json`)
      ).text();
      expect(await program.end('SIGTERM')).toBe(0);
      return text;
    };
    const first = await keys();
    expect(JSON.parse(first).keys[0]).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' });
    expect(first).not.toContain('"d"');
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(await keys()).toBe(first);

    program = Started.run(settings);
    await eventually(
      () => carillon.about('/heartbeat').find(({ body }) => body.routes.length > 0),
      () => 'no heartbeat came',
    );
    const { body, headers } = carillon.about('/heartbeat').at(-1)!;
    expect(headers.authorization).toBe('Bearer carillon_pat_x');
    expect(body).toEqual({
      agentVersion: expect.stringMatching(/^connector-gateway\/.{1,20}$/),
      routes: [
        { name: 'hooks', healthy: true },
        { name: 'dead', healthy: false },
        { name: 'admin', healthy: true },
      ],
    });
    expect(program.output).not.toContain('carillon_pat_x');
  });

  it('that was started before Carillon waits for it', async () => {
    const later = carillon.answer;
    carillon.answer = () => ({ status: 503, body: { error: 'no', code: 'UNAVAILABLE' } });
    program = Started.run(env());
    const url = await program.url();
    expect((await fetch(`${url}/hooks`)).status).toBe(503);
    carillon.answer = later;
    await eventually(
      async () => (await fetch(`${url}/hooks`)).status === 401 || undefined,
      () => 'it does not ask again',
      20_000,
    );
  });

  describe('takes a callback', () => {
    const body = JSON.stringify({ type: 'interaction.answered', text: 'Zoë' });
    const deliveryId = newId('cbd', 1_700_000_000_000);
    const allowed = {
      allowed: true,
      deliveryId,
      route: 'hooks',
      path: '/hooks/answers?x=%20y',
      method: 'POST',
    };
    const deliver = async (given: { secret?: string; body?: string; id?: string; headers?: object } = {}) => {
      const timestamp = 1_763_000_000;
      const id = given.id ?? deliveryId;
      const keys = [keyOf(given.secret ?? callbackSecret)];
      const response = await fetch(`${await program!.url()}/.well-known/carillon-callback/${id}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(timestamp),
          'webhook-signature': 'v1,app',
          'connector-signature': signWebhook(keys, { id, timestamp, body }),
          'x-saved': 'kept',
          'carillon-sequence': '7',
          'carillon-user-id': 'forged',
          ...given.headers,
        },
        body: given.body ?? body,
      });
      return {
        status: response.status,
        body: (await response.json()) as { code?: string } & Record<string, unknown>,
      };
    };
    /** As Carillon does it: once. */
    const once = () => {
      let taken = false;
      return () => {
        if (taken) return no('CALLBACK_INVALID');
        taken = true;
        return { status: 200, body: allowed };
      };
    };

    it('and forwards it once to where it was meant to go', async () => {
      callback = once();
      program = Started.run(env());
      const first = await deliver();
      expect(first.status).toBe(200);
      expect(first.body).toMatchObject({
        method: 'POST',
        url: '/base/answers?x=%20y',
        body,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'webhook-id': 'msg_1',
          'webhook-timestamp': '1763000000',
          'webhook-signature': 'v1,app',
          'x-saved': 'kept',
          'carillon-sequence': '7',
        },
      });
      expect(JSON.stringify(first.body)).not.toMatch(/forged|connector-signature/);
      expect(carillon.about('/callback-access')[0]!.body).toEqual({
        deliveryId,
        timestamp: 1_763_000_000,
        signature: expect.stringMatching(/^v1,/),
        bodySha256: createHash('sha256').update(body).digest('hex'),
      });
      expect((await deliver()).body.code).toBe('CALLBACK_INVALID');
      expect(app.seen).toHaveLength(1);
    });

    it('of a secret that was rotated when Carillon says so, and of forged ones asks no more than ten a minute', async () => {
      callback = once();
      program = Started.run(env());
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      expect((await deliver({ secret })).status).toBe(200);
      await eventually(
        () => program!.lines().find(({ level }) => level === 'warn'),
        () => 'nothing was said of the newer secret',
      );
      const forged = await Promise.all(Array.from({ length: 30 }, () => deliver({ secret })));
      expect(new Set(forged.map(({ status }) => status))).toEqual(new Set([403]));
      expect(carillon.about('/callback-access')).toHaveLength(10);
      callback = once();
      expect((await deliver()).status).toBe(200);
    });

    it.each([
      ['of another form', { id: 'cbd_nonsense' }, 403],
      ['without a signature', { headers: { 'connector-signature': '' } }, 403],
      ['larger than any', { body: 'x'.repeat(100_000) }, 413],
    ])('%s without asking anybody', async (_, given, status) => {
      callback = () => ({ status: 200, body: allowed });
      program = Started.run(env());
      expect((await deliver(given)).status).toBe(status);
      expect(carillon.about('/callback-access')).toEqual([]);
      expect(app.seen).toEqual([]);
    });

    it.each([
      ['is switched off', () => no('CONNECTOR_DISABLED'), 403, 'CONNECTOR_DISABLED'],
      ['is away', () => ({ status: 503, body: {} }), 503, 'CARILLON_UNAVAILABLE'],
      [
        'names a route that is not there',
        () => ({ status: 200, body: { ...allowed, route: 'x' } }),
        404,
        'ROUTE_NOT_FOUND',
      ],
      ['names no route', () => ({ status: 200, body: { ...allowed, route: null } }), 404, 'ROUTE_NOT_FOUND'],
      [
        'names a route that is switched off here',
        () => ({ status: 200, body: { ...allowed, route: 'admin', path: '/hooks/admin/x' } }),
        403,
        'CONNECTOR_DISABLED',
      ],
      [
        'names a route for a path of a closer one, however that is written',
        () => ({ status: 200, body: { ...allowed, path: '/hooks/%61dmin/x' } }),
        404,
        'ROUTE_NOT_FOUND',
      ],
      [
        'names an app that is down',
        () => ({ status: 200, body: { ...allowed, route: 'dead', path: '/dead' } }),
        502,
        'APP_UNAVAILABLE',
      ],
    ])('to nobody when Carillon %s', async (_, says, status, code) => {
      callback = says;
      program = Started.run(env());
      const said = await deliver();
      expect([said.status, said.body.code]).toEqual([status, code]);
      expect(app.seen).toEqual([]);
    });
  });

  it('follows a route to another target within a heartbeat', async () => {
    const session = mintSecret('carillon_gws_', '0').secret;
    const other = await PrivateApp.start();
    const usual = carillon.answer;
    carillon.answer = (question) =>
      question.path.endsWith('/access')
        ? { status: 200, body: { allowed: true, session, user: { id: 'usr_1' }, appId: null, target } }
        : usual(question);
    program = Started.run(env());
    const ask = async (path: string) =>
      fetch(`${await program!.url()}${path}`, {
        headers: { cookie: `__Host-carillon_gateway_hooks=${session}` },
      });
    const seen = async (path: string) => ((await (await ask(path)).json()) as { url: string }).url;
    try {
      expect(await seen('/hooks/a')).toBe('/base/a');
      target = `${other.url}/moved`;
      await eventually(
        async () => (await seen('/hooks/a')) === '/moved/a' || undefined,
        () => 'it does not follow',
      );
    } finally {
      await other.stop();
    }
  });

  it('does not wait for a port that is taken', async () => {
    const port = await freePort();
    program = Started.run({ ...env(), PORT: String(port) });
    await program.url();
    const second = Started.run({ ...env(), PORT: String(port) });
    expect(await second.end()).toBe(1);
    expect(second.output).toContain('EADDRINUSE');
  });
});
