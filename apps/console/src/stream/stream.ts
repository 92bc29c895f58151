import { signedOut } from '../api/api';
import { streamChannel } from '../early/early';
import { type Frame, frameReader } from './frames';

/** What the stream says: a change of one thing, or that everything has to be read again. */
export interface Told {
  readonly topic: 'inbox' | 'prompts' | 'pages' | 'activities' | 'devices' | 'reset';
  readonly kind?: string;
  /** Of an inbox change; null where it concerns many items. */
  readonly itemId?: string | null;
  readonly promptId?: string;
  readonly pageId?: string;
}

interface Message {
  readonly id: string | undefined;
  readonly told: Told | undefined;
}

/** The server writes at least this often; after a longer silence the connection counts as lost. */
const silenceMs = 40_000;
/** A page that is looked at again trusts a connection less. */
const suspiciousMs = 17_000;
const comeBackMs = 2_000;

const listeners = new Set<(told: Told) => void>();
let lastId: string | undefined;
/** When this tab last heard anything of the stream, a sign of life included. */
let lastHeardAt = Date.now();

export function onTold(listener: (told: Told) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function take({ id, told }: Message): void {
  lastHeardAt = Date.now();
  lastId = id ?? lastId;
  if (told) for (const listener of listeners) listener(told);
}

const listen = ({ data }: MessageEvent<Message>): void => take(data);
// What another tab tells before this one follows concerns what this one is reading.
streamChannel.onmessage = listen;

/**
 * Follows the changes of the account. One tab of the browser, which holds a lock, has the connection and tells the
 * others; when it goes, another goes on from the last position that it was told.
 */
export function follow(): () => void {
  const over = new AbortController();
  streamChannel.onmessage = listen;
  const tell = (message: Message): void => {
    take(message);
    streamChannel.postMessage(message);
  };
  let isLeading = false;
  const stand = (options: LockOptions): void => {
    const until = new AbortController();
    navigator.locks
      .request('carillon-stream', options, () => {
        isLeading = true;
        return lead(tell, AbortSignal.any([over.signal, until.signal]));
      })
      .catch(() => {
        // Another tab took the lock: this one may take over from it in turn.
        until.abort();
        if (!over.signal.aborted && isLeading) stand({ signal: over.signal });
      })
      .finally(() => (isLeading = false));
  };
  stand({ signal: over.signal });
  // A tab that the browser has put to sleep keeps its lock, and tells nobody anything.
  const watch = setInterval(() => {
    const isMute = Date.now() - lastHeardAt > 2 * silenceMs;
    if (!isMute || isLeading || document.visibilityState !== 'visible') return;
    lastHeardAt = Date.now();
    stand({ steal: true });
  }, 5_000);
  return () => {
    over.abort();
    clearInterval(watch);
    streamChannel.onmessage = null;
    lastId = undefined;
  };
}

async function lead(tell: (message: Message) => void, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const attempt = new AbortController();
    const abort = (): void => attempt.abort();
    let heardAt = Date.now();
    const isSilentFor = (ms: number): boolean => Date.now() - heardAt > ms;
    const watch = setInterval(() => isSilentFor(silenceMs) && abort(), 5_000);
    const seen = (): void => {
      if (document.visibilityState === 'visible' && isSilentFor(suspiciousMs)) abort();
    };
    over.addEventListener('abort', abort);
    addEventListener('online', abort);
    document.addEventListener('visibilitychange', seen);
    try {
      const isOver = await read(attempt.signal, tell, () => (heardAt = Date.now()));
      if (isOver) return;
    } catch {
      // A connection that was lost, or that this loop has given up: the next one follows.
    } finally {
      clearInterval(watch);
      over.removeEventListener('abort', abort);
      removeEventListener('online', abort);
      document.removeEventListener('visibilitychange', seen);
    }
    if (!attempt.signal.aborted) await restOr(over);
  }
}

/** Gives true when nobody is signed in any more. */
async function read(
  signal: AbortSignal,
  tell: (message: Message) => void,
  heard: () => void,
): Promise<boolean> {
  const from = lastId;
  const response = await fetch('/api/session/stream', {
    headers: { accept: 'text/event-stream', ...(from !== undefined && { 'last-event-id': from }) },
    cache: 'no-store',
    signal,
  });
  if (!response.ok) await response.body?.cancel();
  if (response.status === 401) {
    signedOut();
    return true;
  }
  if (!response.ok || !response.body) throw new Error(`The stream was answered ${response.status}`);
  // What was read before the first connection may lack a change that came in between.
  if (from === undefined) tell({ id: undefined, told: { topic: 'reset' } });
  const frames = frameReader();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    heard();
    for (const frame of frames(value)) tell({ id: frame.id, told: toldBy(frame) });
  }
}

function toldBy({ event, data }: Frame): Told | undefined {
  if (event === 'reset') return { topic: 'reset' };
  if (!event?.endsWith('.changed') || data === undefined) return undefined;
  return { ...(JSON.parse(data) as object), topic: event.slice(0, -'.changed'.length) as Told['topic'] };
}

/** Waits before the next connection, less when the network comes back or somebody looks. */
function restOr(over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener('online', done);
      document.removeEventListener('visibilitychange', done);
      over.removeEventListener('abort', done);
      resolve();
    };
    // Not all browsers at once, after a restart of the server.
    const timer = setTimeout(done, comeBackMs * (0.5 + Math.random()));
    addEventListener('online', done);
    document.addEventListener('visibilitychange', done);
    over.addEventListener('abort', done);
  });
}
