import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Timeout after which a reader that takes no byte is disconnected. */
const slowMs = 30_000;

/**
 * The writing end of a stream. The writer accepts nothing more while the reader has not read what was written before,
 * and disconnects a reader that does not read at all, so that no reader can make its buffer grow.
 */
export class SseWriter {
  private clearing: Promise<void> | undefined;

  constructor(
    private readonly target: Writable,
    /** Aborts when the stream is over. */
    private readonly over: AbortSignal,
    private readonly timeoutMs = slowMs,
  ) {}

  /** Resolves when the target can take more, or when the stream is over. */
  async write(text: string): Promise<void> {
    if (this.clearing) await this.clearing;
    if (!this.isOpen() || this.target.write(text)) return;
    this.clearing = this.cleared();
    await this.clearing;
  }

  /** Writes only when no write is waiting: heartbeats must not pile up. */
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
    // When this fails, the stream is over and nothing more is written.
    await once(this.target, 'drain', { signal: gone.signal }).catch(() => {});
    clearTimeout(timer);
    this.target.off('close', go);
    this.over.removeEventListener('abort', go);
    this.clearing = undefined;
  }
}
