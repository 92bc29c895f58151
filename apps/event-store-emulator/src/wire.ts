/**
 * The little of protobuf that the hot paths need. Appends and reads dominate the CPU, and the generated classes
 * cost several times more than walking the bytes once; everything rare uses the generated classes.
 */

/** Bytes that a number takes as a varint. */
export function varintSize(value: number): number {
  let size = 1;
  while (value >= 0x80) {
    value = Math.floor(value / 0x80);
    size++;
  }
  return size;
}

/** Writes a varint and gives the offset behind it. */
export function writeVarint(into: Uint8Array, offset: number, value: number): number {
  // Bit operations are 32 bits wide, positions are not.
  while (value > 0x7fffffff) {
    into[offset++] = (value % 0x80) | 0x80;
    value = Math.floor(value / 0x80);
  }
  while (value >= 0x80) {
    into[offset++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  into[offset++] = value;
  return offset;
}

/** A varint as bytes, for 64-bit values that a number cannot hold. Negative values are two's complement. */
export function bigVarint(value: bigint): Buffer {
  let rest = BigInt.asUintN(64, value);
  const bytes: number[] = [];
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** A length-delimited field. */
export function field(number: number, ...content: Uint8Array[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const head = Buffer.allocUnsafe(1 + varintSize(length));
  head[0] = (number << 3) | 2;
  writeVarint(head, 1, length);
  return Buffer.concat([head, ...content]);
}

/** A varint field. */
export function varintField(number: number, value: number | bigint): Buffer {
  if (typeof value === 'bigint') return Buffer.concat([Buffer.from([number << 3]), bigVarint(value)]);
  const bytes = Buffer.allocUnsafe(1 + varintSize(value));
  bytes[0] = number << 3;
  writeVarint(bytes, 1, value);
  return bytes;
}

/** A cursor over protobuf bytes. Everything it hands out is a view, not a copy. */
export class Reader {
  fieldNumber = 0;
  private wireType = 0;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** Moves to the next field; false at the end of the message. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = this.raw();
    if (tag < 8 || tag > 0xffffffff) throw new Error('malformed tag');
    this.fieldNumber = tag >>> 3;
    this.wireType = tag & 7;
    return true;
  }

  varint(): number {
    this.expect(0);
    return this.raw();
  }

  private expect(wireType: number): void {
    if (this.wireType !== wireType) throw new Error(`malformed field ${this.fieldNumber}`);
  }

  /** The length of a field that has one. */
  private length(): number {
    this.expect(2);
    return this.raw();
  }

  private raw(): number {
    let result = 0;
    let scale = 1;
    for (let i = 0; i < 10; i++) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || this.at > this.end) throw new Error('truncated message');
      result += (byte & 0x7f) * scale;
      if (byte < 0x80) return result;
      scale *= 0x80;
    }
    throw new Error('malformed varint');
  }

  int64(): bigint {
    this.expect(0);
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || this.at > this.end) throw new Error('truncated message');
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, result);
    }
    throw new Error('malformed varint');
  }

  /** A 64-bit number to the digit: a number as long as it can hold it, a bigint above that. */
  uint64(): number | bigint {
    const start = this.at;
    const value = this.varint();
    if (Number.isSafeInteger(value)) return value;
    this.at = start;
    return BigInt.asUintN(64, this.int64());
  }

  view(): Buffer {
    const length = this.length();
    const start = this.at;
    this.at += length;
    if (this.at > this.end) throw new Error('truncated message');
    return this.bytes.subarray(start, this.at);
  }

  text(): string {
    const length = this.length();
    const start = this.at;
    this.at += length;
    if (this.at > this.end) throw new Error('truncated message');
    return this.bytes.toString('utf8', start, this.at);
  }

  message(): Reader {
    const length = this.length();
    const start = this.at;
    this.at += length;
    if (this.at > this.end) throw new Error('truncated message');
    return new Reader(this.bytes, start, this.at);
  }

  skip(): void {
    switch (this.wireType) {
      case 0:
        this.raw();
        return;
      case 1:
        this.at += 8;
        break;
      case 2:
        this.view();
        return;
      case 5:
        this.at += 4;
        break;
      default:
        throw new Error(`wire type ${this.wireType} is not supported`);
    }
    if (this.at > this.end) throw new Error('truncated message');
  }
}
