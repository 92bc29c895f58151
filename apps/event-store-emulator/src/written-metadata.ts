import { parseMetadata, type StreamMetadata } from './metadata';

/** Metadata as it acts, and as it was written. */
export interface Written {
  metadata: StreamMetadata;
  text: string;
}

interface UnsettledMetadata extends Written {
  /** How often it was written since it last was known to be on the disk. */
  unsettled: number;
}

/**
 * Metadata that the server's writer wrote itself, by the stream that it describes. The writer goes by it where readers
 * do not: for metastreams, too, for metadata that does not say that it is JSON, and after the stream has ended. What is
 * on the disk goes when the first metadata of another stream is written.
 */
export class WrittenMetadata {
  /** The longest unused first. */
  private readonly kept = new Map<string, UnsettledMetadata>();
  private readonly unsettled: { stream: string; position: number }[] = [];

  get(stream: string): Written | undefined {
    const kept = this.kept.get(stream);
    if (kept) this.touch(stream, kept);
    return kept;
  }

  put(stream: string, text: string, position: number): void {
    const known = this.kept.get(stream);
    if (!known) this.evictOldest();
    this.touch(stream, { metadata: parseMetadata(text), text, unsettled: (known?.unsettled ?? 0) + 1 });
    this.unsettled.push({ stream, position });
  }

  /** To be told after each order: how far the disk is. */
  settle(end: number): void {
    while (this.unsettled.length > 0 && this.unsettled[0]!.position < end)
      this.kept.get(this.unsettled.shift()!.stream)!.unsettled--;
  }

  private touch(stream: string, kept: UnsettledMetadata): void {
    this.kept.delete(stream);
    this.kept.set(stream, kept);
  }

  private evictOldest(): void {
    for (const [stream, kept] of this.kept) {
      if (kept.unsettled > 0) return this.touch(stream, kept);
      this.kept.delete(stream);
    }
  }
}
