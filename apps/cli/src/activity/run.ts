import { type Client, ConnectionError } from '@carillon/client';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Context } from '../context';
import { exits, wordsOf } from '../exits';
import { idempotent } from '../inputs';
import { type Progress, ProgressReader } from './progress';

const updateEveryMs = 1_000;
/** Nobody waits longer for the server than this once the command has ended. */
const endWithinMs = 10_000;

const clipped = (text: string, longest: number): string => {
  const characters = [...text.replace(/\s+/g, ' ').trim()];
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : characters.join('');
};

/** A live activity that follows a command: at most one change a second, one at a time, and only the newest. */
class Shown {
  private wanted: Progress | undefined;
  private last: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private changedAt = 0;

  constructor(
    private readonly client: Client,
    private readonly id: string,
    private readonly failed: (error: unknown) => void,
  ) {}

  show(progress: Progress): void {
    this.wanted = progress;
    this.timer ??= setTimeout(() => this.send(), Math.max(0, this.changedAt + updateEveryMs - Date.now()));
  }

  private send(): void {
    const progress = this.wanted;
    if (progress === undefined) return;
    this.wanted = undefined;
    this.changedAt = Date.now();
    this.last = this.client
      .patch('/activities/{identifier}', {
        body: { props: { progress } },
        params: { path: { identifier: this.id } },
      })
      .then(() => {}, this.failed)
      .finally(() => {
        this.timer = undefined;
        if (this.wanted !== undefined) this.show(this.wanted);
      });
  }

  async end(isSuccess: boolean, status: string): Promise<void> {
    clearTimeout(this.timer);
    this.wanted = undefined;
    await this.last;
    await this.client.post('/activities/{identifier}/end', {
      body: {
        props: { state: isSuccess ? 'success' : 'error', status, ...(isSuccess && { progress: 1 }) },
      },
      params: { path: { identifier: this.id }, ...idempotent() },
    });
  }
}

/** Hands the output on, byte for byte, and reads the progress from it. */
function follow(from: Readable, to: Writable, show: (progress: Progress) => void): void {
  const reader = new ProgressReader();
  // Who read the output has seen enough of it: the command learns that as it would without us, at its next write.
  to.on('error', () => from.destroy());
  const decoder = new StringDecoder('utf8');
  from.on('data', (bytes: Buffer) => {
    if (!to.write(bytes)) {
      from.pause();
      to.once('drain', () => from.resume());
    }
    const progress = reader.read(decoder.write(bytes));
    if (progress !== undefined) show(progress);
  });
}

/**
 * Runs a command with its progress on the lock screen, and rings once at its end. The command runs whatever the server
 * says; its exit code and signals are those of this process. The title is its name alone: arguments may be secret.
 */
export async function runCommand(
  context: Context,
  command: string,
  args: readonly string[],
  title = clipped(basename(command), 100),
): Promise<number> {
  const client = context.client();
  const failed = (error: unknown): void =>
    context.say(`carillon: the activity is not shown: ${wordsOf(error)}`);
  const started = Date.now();
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe'] });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  // On a terminal Ctrl-C reaches the command by itself.
  const forward = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, forward);

  let newest: Progress | undefined;
  let shown: Shown | undefined;
  const show = (progress: Progress): void => {
    newest = progress;
    shown?.show(progress);
  };
  // Of the program: it ends the process, before the command and the activity have ended.
  process.stdout.removeAllListeners('error');
  follow(child.stdout, process.stdout, show);
  follow(child.stderr, process.stderr, show);
  const starting = client
    .post('/activities', {
      body: { props: { title, status: 'Running', startedAt: new Date(started).toISOString() } },
      params: idempotent(),
    })
    .then(({ activity }) => {
      shown = new Shown(client, activity.id, failed);
      if (newest !== undefined) shown.show(newest);
    }, failed);

  const { code, signal } = await ended.catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
    context.say(`carillon: ${command}: ${error.code === 'ENOENT' ? 'not found' : 'cannot be run'}`);
    return { code: error.code === 'ENOENT' ? 127 : 126, signal: null };
  });
  const status = signal ?? (code === 0 ? 'Done' : `Exit code ${code}`);
  const finish = async (): Promise<void> => {
    await starting;
    await shown?.end(code === 0, status);
    const took = Math.round((Date.now() - started) / 1_000);
    await client.post('/notifications', {
      body: { title, body: `${status} after ${took} s` },
      params: idempotent(),
    });
  };
  const tooLate = new Promise<void>((_resolve, reject) => {
    const late = () => reject(new ConnectionError('the server does not answer'));
    setTimeout(late, endWithinMs).unref();
  });
  await Promise.race([finish(), tooLate]).catch(failed);
  for (const each of signals) process.removeListener(each, forward);
  if (signal) process.kill(process.pid, signal);
  return signal ? 128 + constants.signals[signal] : (code ?? exits.refused);
}
