/** How the value of a field is encoded. */
const wire = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

/** A varint of so many bytes is exact as a number. */
const exactBytes = 7;
const maxVarintBytes = 10;

/**
 * Walks over the fields of a protobuf message where they lie: nothing is copied and no object is made. Throws an
 * `Error` for bytes that are no message.
 */
export class MessageFields {
  /** Where the value of the newest field lies, if it has bytes (`span`). */
  from = 0;
  to = 0;
  private encoding: number = wire.varint;

  constructor(
    private readonly bytes: Buffer,
    private at: number,
    private readonly end: number,
  ) {}

  /** The number of the next field, whose value must be read or skipped then; 0 at the end. */
  next(): number {
    if (this.at === this.end) return 0;
    const tag = this.varint();
    this.encoding = tag % 8;
    const number = (tag - this.encoding) / 8;
    if (number === 0) throw malformed();
    return number;
  }

  /** The value as a number of 64 bits without a sign. */
  uint64(): bigint {
    if (this.encoding !== wire.varint) throw malformed();
    const begin = this.at;
    const value = this.varint();
    if (this.at - begin <= exactBytes) return BigInt(value);
    let exact = 0n;
    for (let at = this.at - 1; at >= begin; at -= 1) exact = exact * 128n + BigInt(this.bytes[at]! % 128);
    return BigInt.asUintN(64, exact);
  }

  /** Sets `from` and `to` to the bytes of the value: of a message, a text or bytes. */
  span(): void {
    if (this.encoding !== wire.bytes) throw malformed();
    const length = this.varint();
    this.from = this.at;
    this.pass(length);
    this.to = this.at;
  }

  /** Passes over a value of any kind. */
  skip(): void {
    if (this.encoding === wire.varint) this.varint();
    else if (this.encoding === wire.bytes) this.span();
    else if (this.encoding === wire.fixed64) this.pass(8);
    else if (this.encoding === wire.fixed32) this.pass(4);
    else if (this.encoding === wire.groupStart) this.skipGroup();
    else throw malformed();
  }

  private skipGroup(): void {
    while (this.next() !== 0) {
      if (this.encoding === wire.groupEnd) return;
      this.skip();
    }
    throw malformed();
  }

  private pass(length: number): void {
    if (length > this.end - this.at) throw malformed();
    this.at += length;
  }

  private varint(): number {
    let value = 0;
    for (let [count, scale] = [0, 1]; count < maxVarintBytes; count += 1, scale *= 128) {
      if (this.at === this.end) break;
      const byte = this.bytes[this.at]!;
      this.at += 1;
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
    throw malformed();
  }
}

const malformed = (): Error => new Error('The event store sent bytes that are no message');
