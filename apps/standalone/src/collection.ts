import { Session } from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getHeapStatistics } from 'node:v8';

/** How often a look is taken, and how many quiet ones follow one another before a collection. */
const lookMs = 5_000;
const quietLooks = 4;
/** Of one processor: a process that nobody uses takes less. */
const quietShare = 0.25;
/** How much larger than after the last collection the heap of the main process has to be. */
const mainGrownBytes = 32 * 2 ** 20;

/** What one look finds: processor time that was used so far, the time, and the size of the heap. */
export interface HeapSample {
  readonly usedMs: number;
  readonly atMs: number;
  readonly heapBytes: number;
}

/** Decides by looks that follow one another whether to collect garbage; `collected` gets the heap's size afterwards. */
export class Quiet {
  private before: HeapSample | undefined;
  private quiet = 0;
  private leastBytes = 0;

  /** `grownBytes`: how much larger than after the last collection the heap has to be. */
  constructor(private readonly grownBytes = mainGrownBytes) {}

  isTime(look: HeapSample): boolean {
    const { before } = this;
    this.before = look;
    const isQuiet =
      before !== undefined && look.usedMs - before.usedMs < quietShare * (look.atMs - before.atMs);
    this.quiet = isQuiet ? this.quiet + 1 : 0;
    return this.quiet >= quietLooks && look.heapBytes >= this.leastBytes + this.grownBytes;
  }

  collected(heapBytes: number): void {
    this.leastBytes = heapBytes;
    this.quiet = 0;
  }
}

/** The argument of Node by which a part collects its garbage too. `apps` is the folder of the built programs. */
export const collecting = (apps: string): string =>
  `--import=${pathToFileURL(join(apps, 'standalone/src/collect-part.js')).href}`;

/**
 * Collects garbage when the process has been quiet for twenty seconds. V8 keeps the memory that a time of load needed
 * until it collects again, and an idle process allocates too little for that. Gives how to stop.
 */
export function collectWhenQuiet(grownBytes?: number): () => void {
  const quiet = new Quiet(grownBytes);
  const session = new Session();
  session.connect();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage();
    const usedMs = (user + system) / 1_000;
    if (!quiet.isTime({ usedMs, atMs: performance.now(), heapBytes: getHeapStatistics().total_heap_size }))
      return;
    // Unlike `gc()`, it also gives the memory back: V8 treats it as a shortage.
    session.post('HeapProfiler.collectGarbage');
    quiet.collected(getHeapStatistics().total_heap_size);
  }, lookMs).unref();
  return () => {
    clearInterval(timer);
    session.disconnect();
  };
}
