import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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
