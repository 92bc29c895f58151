import { existsSync, readdirSync, readlinkSync } from 'node:fs';

const lookEveryMs = 500;

const targetOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file);
  } catch {
    return undefined;
  }
};

/** Whether this process's parent has the other end of a pipe; undefined where the system does not tell. */
function parentHas(pipe: string | undefined): boolean | undefined {
  const folder = `/proc/${process.ppid}/fd`;
  if (!pipe?.startsWith('pipe:') || !existsSync(folder)) return undefined;
  try {
    return readdirSync(folder).some((fd) => targetOf(`${folder}/${fd}`) === pipe);
  } catch {
    return undefined;
  }
}

/**
 * Calls back once nobody is left who would read the answer: a signal came, the parent is gone, or it has closed its end
 * of stdout. Of a pipe Linux tells so. Hosts that are written for Node have a pair of sockets instead, on which even
 * writing nothing fails then. The end of stdin says nothing: hosts close it at once.
 */
export function whenAbandoned(abandoned: () => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, abandoned);
  // Other commands end at once when nobody reads on; here a question is left to cancel.
  process.stdout.removeAllListeners('error').on('error', abandoned);
  const parent = process.ppid;
  const pipe = targetOf('/proc/self/fd/1');
  const hadPipe = parentHas(pipe) === true;
  const look = setInterval(() => {
    process.stdout.write('');
    if (process.ppid !== parent || (hadPipe && parentHas(pipe) === false)) abandoned();
  }, lookEveryMs);
  look.unref();
}
