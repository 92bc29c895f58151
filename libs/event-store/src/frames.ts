/** Before each message: one byte that says whether it is compressed, and its length. */
const headBytes = 5;
/** As the official client: a store may hold events of up to 16 MiB. */
const maxMessageBytes = 17 * 1024 * 1024;

/** A message as it is sent in a gRPC call. */
export function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Cuts messages out of the bytes of a gRPC call. */
export class Messages {
  private chunks: Buffer[] = [];
  private held = 0;
  /** So many bytes complete the next message, or its head. */
  private needed = headBytes;

  /**
   * The messages that are complete with this chunk. Throws for a message that is compressed, which nobody asked for, or
   * has more than 17 MiB.
   */
  in(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.held += chunk.length;
    if (this.held < this.needed) return [];
    let bytes = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
    const complete: Buffer[] = [];
    for (this.needed = headBytes; bytes.length >= headBytes; this.needed = headBytes) {
      const end = headBytes + bytes.readUInt32BE(1);
      if (bytes[0] !== 0 || end > headBytes + maxMessageBytes)
        throw new Error('The event store sent a message that is compressed or too large');
      this.needed = end;
      if (bytes.length < end) break;
      complete.push(bytes.subarray(headBytes, end));
      bytes = bytes.subarray(end);
    }
    this.chunks = bytes.length > 0 ? [bytes] : [];
    this.held = bytes.length;
    return complete;
  }
}
