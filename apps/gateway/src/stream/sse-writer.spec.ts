import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { SseWriter } from './sse-writer';

/** A reader that reads a chunk whenever `read` is called. */
function reader(): { target: Writable; taken: string[]; read(): void } {
  const taken: string[] = [];
  let next: (() => void) | undefined;
  const target = new Writable({
    highWaterMark: 10,
    write: (chunk: Buffer, _encoding, done) => {
      taken.push(String(chunk));
      next = done;
    },
  });
  return { target, taken, read: () => next?.() };
}

const going = new AbortController().signal;

describe('writing to a reader', () => {
  it('goes on at once while there is space', async () => {
    const { target, taken } = reader();
    const writer = new SseWriter(target, going);
    await writer.write('a');
    await writer.write('b');
    expect(taken).toEqual(['a']);
    expect(target.writableLength).toBe(2);
  });

  it('waits for a slow one, and skips heartbeats meanwhile', async () => {
    const { target, read } = reader();
    const writer = new SseWriter(target, going);
    let written = false;
    const writing = writer.write('more than ten bytes').then(() => (written = true));
    for (let n = 0; n < 100; n += 1) writer.mention('alive');
    await pause(10);
    expect(written).toBe(false);
    expect(target.writableLength).toBe(19);
    read();
    await writing;
    expect(written).toBe(true);
  });

  it('disconnects one that does not read at all', async () => {
    const { target } = reader();
    const writer = new SseWriter(target, going, 20);
    await writer.write('more than ten bytes');
    expect(target.destroyed).toBe(true);
    await writer.write('more');
    writer.mention('more');
    expect(target.listenerCount('drain')).toBe(0);
  });

  it('ends its waiting when the reader goes', async () => {
    const { target } = reader();
    const writer = new SseWriter(target, going);
    const writing = writer.write('more than ten bytes');
    target.destroy();
    await writing;
    expect(target.listenerCount('close')).toBe(0);
  });

  it('ends its waiting when it is over, whatever the reader does', async () => {
    const { target } = reader();
    const over = new AbortController();
    const writer = new SseWriter(target, over.signal);
    const writing = writer.write('more than ten bytes');
    over.abort();
    await writing;
    await writer.write('more');
    expect(target.writableLength).toBe(19);
  });
});
