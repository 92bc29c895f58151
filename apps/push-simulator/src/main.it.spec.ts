import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Ended {
  code: number | null;
  error: string;
}

const folder = mkdtempSync(join(tmpdir(), 'push-simulator-main-'));
const data = join(folder, 'data');
// The tests of this tier run what the build made.
const main = join(import.meta.dirname, '../../../dist/apps/push-simulator/src/main.js');
const running: ChildProcess[] = [];

afterAll(() => {
  for (const child of running) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, '--data', data, ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let out = '';
  let error = '';
  const listening = new Promise<Record<string, unknown>>((done, failed) => {
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      for (const line of out.split('\n').slice(0, -1)) {
        const event = JSON.parse(line) as Record<string, unknown>;
        if (event.msg === 'listening') done(event);
      }
    });
    child.on('exit', () => failed(new Error(`it ended: ${error}`)));
  });
  listening.catch(() => {});
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  const ended = new Promise<Ended>((done) => child.on('exit', (code) => done({ code, error })));
  return { child, listening, ended };
}

describe('the process', () => {
  it('says where it listens, and ends well within two seconds of SIGTERM', async () => {
    const { child, listening, ended } = start([], { SIMULATOR_PORT: '0' });
    const event = await listening;
    expect(event).toMatchObject({
      msg: 'listening',
      apnsPort: expect.any(Number) as number,
      fcmPort: expect.any(Number) as number,
      providersFile: join(data, 'providers.json'),
    });
    const providers = JSON.parse(readFileSync(join(data, 'providers.json'), 'utf8')) as {
      controlUrl: string;
      apns: { keyId: string; teamId: string; bundleId: string };
    };
    const secret = readFileSync(join(data, 'control-secret'), 'utf8');
    expect(statSync(join(data, 'control-secret')).mode & 0o777).toBe(0o600);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(providers.controlUrl).toBe(`${String(event.controlOrigin)}/${secret}`);
    expect(JSON.stringify(event)).not.toContain(secret);
    expect(providers.apns.keyId).toMatch(/^[A-Z0-9]{10}$/);
    expect(providers.apns.teamId).toMatch(/^[A-Z0-9]{10}$/);
    expect(providers.apns.bundleId).toBe('dev.carillon.app');
    expect((await fetch(`${providers.controlUrl}/`)).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });

  it('says which port is in use, and exits 1', async () => {
    const squatter = createServer();
    await new Promise<void>((done) => squatter.listen(0, '127.0.0.1', done));
    const { port } = squatter.address() as AddressInfo;
    const { code, error } = await start(['--port', String(port)]).ended;
    squatter.close();
    expect(code).toBe(1);
    expect(error).toBe(`push-simulator: port ${port} for the control API is in use on 127.0.0.1\n`);
  });

  it('refuses what it does not understand, and exits 1', async () => {
    expect((await start(['--port', 'x']).ended).error).toContain('--port must be a port number');
    expect((await start(['--colour']).ended).code).toBe(1);
  });

  it('does not outlive its parent when told so', async () => {
    const script = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ${JSON.stringify([main, '--data', data, '--port', '0', '--exit-with-parent'])}, { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.once('data', () => { console.log(child.pid); process.exit(0); });`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
    let error = '';
    parent.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    const pid = await new Promise<number>((done) =>
      parent.stdout.once('data', (chunk: Buffer) => done(Number(chunk.toString()))),
    );
    const alive = () => {
      try {
        process.kill(pid, 0);
        return true;
      } catch {
        return false;
      }
    };
    const end = Date.now() + 15_000;
    while (alive() && Date.now() < end) await new Promise((done) => setTimeout(done, 100));
    expect(alive()).toBe(false);
    // Nobody reads its output any more; it ends in order all the same.
    expect(error).toBe('');
  });
});
