import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';

/** The program as it is served: one file. */
export const program = join(import.meta.dirname, '../../../dist/apps/cli/carillon.mjs');

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A machine of a person: a home folder, and what is set in its shell. */
export class Machine {
  readonly home = mkdtempSync(join(tmpdir(), 'carillon-cli-'));
  env: Record<string, string> = {};

  start(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: this.home,
      env: { PATH: process.env['PATH'] ?? '', HOME: this.home, ...this.env, ...env },
    });
    const ran = Promise.all([once(child, 'close'), textOf(child.stdout), textOf(child.stderr)]);
    return {
      child,
      ended: ran.then(([[code, signal], stdout, stderr]): Ran => ({ code, signal, stdout, stderr })),
    };
  }

  /** Runs it to its end; `input` is its stdin, which is closed at once. */
  run(args: readonly string[], input = '', env: Record<string, string> = {}): Promise<Ran> {
    const { child, ended } = this.start(args, env);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return ended;
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
  readonly body: any;
}
export type Said = readonly [status: number, body: unknown, headers?: Record<string, string>];

/** A server that says what a test wants a server to say, and cannot make the real one say. */
export class PlayedServer {
  readonly calls: Call[] = [];
  says: (call: Call, response: ServerResponse) => Said | undefined = () => [500, {}];
  private readonly server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const { method = '', url: path = '', headers } = request;
      const call: Call = { method, path, headers, body: text === '' ? undefined : JSON.parse(text) };
      this.calls.push(call);
      const said = this.says(call, response);
      if (!said) return;
      response.writeHead(said[0], { 'content-type': 'application/json', ...said[2] });
      response.end(JSON.stringify(said[1]));
    });
  });

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The calls with this method and this beginning of a path. */
  to(method: string, path: string): Call[] {
    return this.calls.filter((call) => call.method === method && call.path.startsWith(`/api/agent${path}`));
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
