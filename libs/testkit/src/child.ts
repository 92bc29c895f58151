import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';

/** Ends a process we started and waits until it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  child.kill(signal);
  await once(child, 'exit');
}

/**
 * A part may never be stopped: the setup of its test failed, or this process was killed. So a part does not keep this
 * process from ending, and ends with it; at the latest by the signal of a keeper process beside it.
 */
export function tie(child: ChildProcess, signal: 'QUIT' | 'TERM' = 'TERM'): void {
  const watcher = spawn('sh', ['-c', `read -r _; kill -${signal} "$0"; kill -CONT "$0"`, String(child.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Its input is open for as long as we are there.
  watcher.stdin.on('error', () => {});
  child.once('exit', () => watcher.kill('SIGKILL'));
  for (const each of [child, watcher]) release(each);
}

/** A part that ends with us of its own accord does not keep us from ending either. */
export function release(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

/** Starts all at once. When one fails, those that have started are stopped before its error is thrown. */
export async function startAll<Parts extends readonly { stop(): Promise<void> }[]>(starting: {
  readonly [Index in keyof Parts]: Promise<Parts[Index]>;
}): Promise<Parts> {
  try {
    return (await Promise.all(starting)) as unknown as Parts;
  } catch (error) {
    for (const outcome of await Promise.allSettled(starting))
      if (outcome.status === 'fulfilled') await (outcome.value as { stop(): Promise<void> }).stop();
    throw error;
  }
}
