import { type ChildProcess, type Serializable, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ordinaryOf } from './child-environment';
import { messageOf } from './failure';
import { readPrivate, writePrivate } from './private-file';
import { lives, markOf } from './process-mark';
import { PartFailed, type Progress } from './progress';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export interface ChildCommand {
  readonly part: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly user?: User | undefined;
  /** In addition to the variables that every program needs. */
  readonly env?: NodeJS.ProcessEnv;
}

export interface Server extends ChildCommand {
  /** The signal that stops the server; SIGTERM by default. */
  readonly stopSignal?: NodeJS.Signals;
  /** Whether the output shows that the server is ready. */
  readonly isReady: (output: string) => boolean;
  /** Whether the output shows that the server ended because remains of an earlier process still exist. */
  readonly isHeld?: (output: string) => boolean;
  /** The server is a Carillon program that answers `ask`. */
  readonly listens?: boolean;
}

interface ChildRecord {
  readonly part: string;
  readonly pid: number;
  readonly mark: string;
  readonly stopSignal: NodeJS.Signals;
}

const readyWithinMs = 60_000;
const stopWithinMs = 15_000;
/** Timeout for the end of the remains of a killed server, such as its session processes. */
const heldMs = 20_000;
/** A part that dies is restarted without a maximum, with backoff. */
const again = { firstMs: 100, maxMs: 5_000, forgottenAfterMs: 30_000 };

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The start was cancelled by a stop. */
export class Stopped extends Error {}

/**
 * The processes that standalone starts. Each writes to its own log file and is in a process group of its own, so that
 * Ctrl-C in a terminal reaches standalone alone, which stops them in order.
 */
export class Children {
  private readonly running = new Map<string, { process: ChildProcess; server: Server | undefined }>();
  private readonly stopping = new Set<string>();
  private readonly opened = new Set<string>();
  private readonly logs: string;
  private readonly pidFile: string;
  private keeper: ChildProcess | undefined;
  private closed = false;
  private notingAgain: NodeJS.Timeout | undefined;

  constructor(
    dataFolder: string,
    private readonly progress: Progress,
  ) {
    this.logs = join(dataFolder, 'logs');
    this.pidFile = join(dataFolder, 'children.json');
    mkdirSync(this.logs, { recursive: true, mode: 0o700 });
    this.setAsideLog('services');
  }

  logFile(part: string): string {
    return join(this.logs, `${part}.log`);
  }

  /** Stops processes that a crash of an earlier start left, after checking that each is one that it started. */
  async sweep(): Promise<void> {
    const left = (readPrivate<ChildRecord[]>(this.pidFile) ?? []).filter(({ pid, mark }) => lives(pid, mark));
    for (const { part, pid, mark, stopSignal } of left) {
      signalIfThere(pid, stopSignal);
      const deadline = Date.now() + stopWithinMs;
      while (lives(pid, mark)) {
        if (Date.now() > deadline) signalIfThere(pid, 'SIGKILL');
        await pause(20);
      }
      this.progress.say(part, `stopped what an earlier start had left (process ${pid})`);
    }
  }

  /** Runs a command to its end. Throws when it fails. */
  async run(command: ChildCommand, limitMs = 120_000): Promise<void> {
    const child = this.spawn(command, undefined);
    const timer = setTimeout(() => child.kill('SIGTERM'), limitMs);
    await once(child, 'exit');
    clearTimeout(timer);
    const { exitCode: code, signalCode: signal } = child;
    if (this.closed) throw new Stopped();
    if (code !== 0)
      throw new PartFailed(
        command.part,
        `${command.command} ended with ${signal ?? `code ${code}`}${lastLine(this.logFile(command.part))}`,
        this.logFile(command.part),
      );
  }

  /** Starts a server and waits until it is ready. The server is restarted when it dies later. */
  async start(server: Server): Promise<void> {
    const file = this.logFile(server.part);
    this.setAsideLog(server.part);
    const began = Date.now();
    for (let waits = false; ;) {
      const from = sizeOf(file);
      const output = (): string => readFileSync(file).subarray(from).toString();
      const child = this.spawn(server, server);
      if (await this.becameReady(server, child, output, began + readyWithinMs)) {
        this.watch(server, child, again.firstMs);
        return;
      }
      if (!server.isHeld?.(output()) || Date.now() > began + heldMs)
        throw new PartFailed(server.part, `it ended while starting${lastLine(file)}`, file);
      if (!waits) this.progress.say(server.part, 'waits for what an earlier start has left to end');
      waits = true;
      await pause(200);
    }
  }

  /** Waits until the server is ready; false when it ended instead. */
  private async becameReady(
    server: Server,
    child: ChildProcess,
    output: () => string,
    deadline: number,
  ): Promise<boolean> {
    while (!server.isReady(output())) {
      if (this.closed) throw new Stopped();
      if (child.exitCode !== null || child.signalCode !== null) return false;
      if (Date.now() > deadline)
        throw new PartFailed(
          server.part,
          `it was not ready after ${readyWithinMs / 1000} s`,
          this.logFile(server.part),
        );
      await pause(20);
    }
    return true;
  }

  /** Stops a server, kills it at the timeout, and resolves when it is gone. */
  async stop(part: string): Promise<void> {
    const entry = this.running.get(part);
    if (!entry) return;
    this.stopping.add(part);
    const { process: child, server } = entry;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(server?.stopSignal ?? 'SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
    await gone;
    clearTimeout(timer);
  }

  /** Asks a server that listens. Undefined when it ends before its answer. */
  async ask(part: string, question: Serializable): Promise<unknown> {
    const child = this.running.get(part)?.process;
    if (!child?.connected) return undefined;
    return new Promise((resolve) => {
      const over = (answer?: unknown): void => {
        child.off('message', over).off('disconnect', over);
        resolve(answer);
      };
      child.on('message', over).on('disconnect', over);
      child.send(question, (error) => error && over());
    });
  }

  /** Prevents further starts, and cancels starts under way. */
  refuse(): void {
    this.closed = true;
  }

  /** Stops all remaining children, then the keeper. */
  async close(): Promise<void> {
    this.refuse();
    await Promise.all([...this.running.keys()].map((part) => this.stop(part)));
    const keeper = this.keeper;
    if (keeper && keeper.exitCode === null) {
      const gone = once(keeper, 'exit');
      keeper.stdin?.end();
      await gone;
    }
  }

  /** Kills all children now, without waiting. */
  kill(): void {
    this.refuse();
    for (const { process: child } of this.running.values()) child.kill('SIGKILL');
  }

  private spawn(command: ChildCommand, server: Server | undefined): ChildProcess {
    if (this.closed) throw new Stopped();
    this.setAsideLog(command.part);
    const log = openSync(this.logFile(command.part), 'a', 0o600);
    let child: ChildProcess;
    try {
      child = spawn(command.command, [...command.args], {
        cwd: '/',
        env: { ...ordinaryOf(process.env), ...command.env },
        stdio: ['ignore', log, log, ...(server?.listens ? (['ipc'] as const) : [])],
        detached: true,
        ...(command.user && { uid: command.user.uid, gid: command.user.gid }),
      });
    } finally {
      closeSync(log);
    }
    const { pid } = child;
    this.running.set(command.part, { process: child, server });
    child.once('error', (error) => this.progress.say(command.part, `cannot be run: ${error.message}`));
    if (pid === undefined) {
      this.running.delete(command.part);
      throw new PartFailed(command.part, `${command.command} cannot be run`, this.logFile(command.part));
    }
    this.tellKeeper(`keep ${pid} ${(server?.stopSignal ?? 'SIGTERM').slice(3)}`);
    this.notePids();
    child.once('exit', () => {
      this.tellKeeper(`drop ${pid}`);
      if (this.running.get(command.part)?.process === child) this.running.delete(command.part);
      this.notePids();
    });
    return child;
  }

  private watch(server: Server, child: ChildProcess, backoffMs: number): void {
    const began = Date.now();
    const ended = (code: number | null, signal: string | null): void => {
      const waitMs = Date.now() - began > again.forgottenAfterMs ? again.firstMs : backoffMs;
      this.restart(server, `ended (${signal ?? `code ${code}`})`, waitMs);
    };
    if (child.exitCode !== null || child.signalCode !== null) ended(child.exitCode, child.signalCode);
    else child.once('exit', ended);
  }

  private restart(server: Server, why: string, waitMs: number): void {
    if (this.closed || this.stopping.has(server.part)) return;
    this.progress.say(server.part, `${why}; it is started again`);
    setTimeout(() => {
      if (this.closed || this.stopping.has(server.part)) return;
      const nextMs = Math.min(waitMs * 2, again.maxMs);
      try {
        this.watch(server, this.spawn(server, server), nextMs);
      } catch (error) {
        this.restart(server, String(error), nextMs);
      }
    }, waitMs);
  }

  /** Keeps the log of the previous start as `.1`. */
  private setAsideLog(part: string): void {
    if (this.opened.has(part)) return;
    this.opened.add(part);
    const file = this.logFile(part);
    if (sizeOf(file) > 0) renameSync(file, `${file}.1`);
  }

  /** Records the children, so that a later start can stop them. On a full disk the record is written later. */
  private notePids(): void {
    clearTimeout(this.notingAgain);
    const kept: ChildRecord[] = [];
    for (const [part, { process: child, server }] of this.running) {
      const mark = markOf(child.pid!);
      if (mark) kept.push({ part, pid: child.pid!, mark, stopSignal: server?.stopSignal ?? 'SIGTERM' });
    }
    try {
      writePrivate(this.pidFile, kept);
    } catch (error) {
      this.progress.say('standalone', `the processes could not be noted: ${messageOf(error)}`);
      this.notingAgain = setTimeout(() => this.notePids(), again.firstMs).unref();
    }
  }

  private tellKeeper(line: string): void {
    if (!this.keeper) {
      this.keeper = spawn('/bin/sh', [join(import.meta.dirname, 'keeper.sh')], {
        cwd: '/',
        env: ordinaryOf(process.env),
        stdio: ['pipe', 'ignore', 'ignore'],
        detached: true,
      });
      this.keeper.on('error', () => {});
      this.keeper.stdin?.on('error', () => {});
    }
    this.keeper.stdin?.write(`${line}\n`);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The last line of a log, for the message. */
function lastLine(file: string): string {
  const line = readFileSync(file, 'utf8').trim().split('\n').at(-1);
  return line ? `: ${line.slice(0, 300)}` : '';
}

/** Ignores that a process of an earlier start may end by itself at any moment. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
