import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** How long a reader may take no byte before we let go. */
const slowMs = 30_000;

/**
 * The writing end of a stream. It takes nothing more while the reader has not read what was written before, and ends a
 * reader that does not read at all, so that nobody can make it grow.
 */
export class SseWriter {
  private clearing: Promise<void> | undefined;

  constructor(
    private readonly target: Writable,
    /** Nobody waits for the reader any more. */
    private readonly over: AbortSignal,
    private readonly timeoutMs = slowMs,
  ) {}

  /** Resolves when there is space for more, or it is over. */
  async write(text: string): Promise<void> {
    if (this.clearing) await this.clearing;
    if (!this.isOpen() || this.target.write(text)) return;
    this.clearing = this.cleared();
    await this.clearing;
  }

  /** Writes only where nothing waits: what is said in passing must not pile up. */
  mention(text: string): void {
    if (this.clearing || !this.isOpen()) return;
    if (!this.target.write(text)) this.clearing = this.cleared();
  }

  private isOpen(): boolean {
    return !this.over.aborted && !this.target.destroyed && !this.target.writableEnded;
  }

  private async cleared(): Promise<void> {
    const gone = new AbortController();
    const timer = setTimeout(() => this.target.destroy(), this.timeoutMs);
    const go = (): void => gone.abort();
    this.target.once('close', go);
    this.over.addEventListener('abort', go, { once: true });
    if (this.over.aborted || this.target.destroyed) go();
    // It is over when that fails: nothing is written any more.
    await once(this.target, 'drain', { signal: gone.signal }).catch(() => {});
    clearTimeout(timer);
    this.target.off('close', go);
    this.over.removeEventListener('abort', go);
    this.clearing = undefined;
  }
}
