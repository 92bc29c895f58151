import fc from 'fast-check';
import { streams } from './protocol';
import { decode, encode, present } from './record';
import { Reader, varintSize, writeVarint } from './wire';
import { decodeBatchAppend } from './requests';

const uuid = fc.uuid();
const bytes = fc.uint8Array({ maxLength: 300 });
const positions = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });

describe('an event encoded once', () => {
  it('reads as the generated classes read it', () =>
    fc.assert(
      fc.property(
        uuid,
        fc.string({ unit: 'grapheme', minLength: 1 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
        fc.boolean(),
        bytes,
        bytes,
        fc.integer({ min: 0, max: 2 ** 40 }),
        positions,
        (id, type, stream, json, data, metadata, revision, position) => {
          const wire = encode(
            { id, type, json, data, metadata },
            { stream: Buffer.from(stream), revision, position, created: '17670000000000000' },
          );
          const read = streams.ReadResp.deserializeBinary(wire).getEvent()!;
          const event = read.getEvent()!;
          expect(read.getCommitPosition()).toBe(String(position));
          expect(event.getId()!.getString()).toBe(id);
          expect(Buffer.from(event.getStreamIdentifier()!.getStreamName_asU8()).toString()).toBe(
            Buffer.from(stream).toString(),
          );
          expect(event.getStreamRevision()).toBe(String(revision));
          expect(event.getPreparePosition()).toBe(String(position));
          expect(event.getMetadataMap().get('type')).toBe(Buffer.from(type).toString());
          expect(event.getMetadataMap().get('content-type')).toBe(
            json ? 'application/json' : 'application/octet-stream',
          );
          expect(Buffer.from(event.getData_asU8())).toEqual(Buffer.from(data));
          expect(Buffer.from(event.getCustomMetadata_asU8())).toEqual(Buffer.from(metadata));
          expect(decode(wire)).toMatchObject({ id, revision, position, createdAt: 1767000000000 });
        },
      ),
      { numRuns: 100 },
    ));

  it('gives its id as two numbers to who asks for that', () => {
    const id = 'f1e2d3c4-b5a6-4788-89ab-cdef01234567';
    const wire = encode(
      { id, type: 'T', json: true, data: Buffer.from('{}'), metadata: Buffer.alloc(0) },
      { stream: Buffer.from('s'), revision: 3, position: 9, created: '1' },
    );
    const shown = present({ position: 9, stream: 's', type: 'T', bytes: wire }, undefined, true);
    const read = streams.ReadResp.deserializeBinary(shown).getEvent()!.getEvent()!;
    const structured = read.getId()!.getStructured()!;
    expect(BigInt.asUintN(64, BigInt(structured.getMostSignificantBits())).toString(16)).toBe(
      'f1e2d3c4b5a64788',
    );
    expect(BigInt.asUintN(64, BigInt(structured.getLeastSignificantBits())).toString(16)).toBe(
      '89abcdef01234567',
    );
    expect(read.getStreamRevision()).toBe('3');
  });
});

describe('a varint', () => {
  it('is read as it was written', () =>
    fc.assert(
      fc.property(positions, (value) => {
        const into = Buffer.alloc(10);
        const end = writeVarint(into, 0, value);
        expect(end).toBe(varintSize(value));
        expect(new Reader(into).varint()).toBe(value);
      }),
    ));
});

describe('a broken message', () => {
  it('is refused, and never read beyond its end', () =>
    fc.assert(
      fc.property(bytes, (noise) => {
        try {
          decodeBatchAppend(Buffer.from(noise));
        } catch (error) {
          expect((error as Error).message).toMatch(/truncated|malformed|wire type/);
        }
      }),
    ));
});
