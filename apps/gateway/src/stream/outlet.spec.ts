import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Outlet } from './outlet';

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
  it('goes on at once while there is room', async () => {
    const { target, taken } = reader();
    const outlet = new Outlet(target, going);
    await outlet.write('a');
    await outlet.write('b');
    expect(taken).toEqual(['a']);
    expect(target.writableLength).toBe(2);
  });

  it('waits for one that is slow, and says nothing in passing meanwhile', async () => {
    const { target, read } = reader();
    const outlet = new Outlet(target, going);
    let written = false;
    const writing = outlet.write('more than ten bytes').then(() => (written = true));
    for (let n = 0; n < 100; n += 1) outlet.mention('alive');
    await pause(10);
    expect(written).toBe(false);
    expect(target.writableLength).toBe(19);
    read();
    await writing;
    expect(written).toBe(true);
  });

  it('gives up on one that does not read at all', async () => {
    const { target } = reader();
    const outlet = new Outlet(target, going, 20);
    await outlet.write('more than ten bytes');
    expect(target.destroyed).toBe(true);
    await outlet.write('more');
    outlet.mention('more');
    expect(target.listenerCount('drain')).toBe(0);
  });

  it('ends its waiting when the reader goes', async () => {
    const { target } = reader();
    const outlet = new Outlet(target, going);
    const writing = outlet.write('more than ten bytes');
    target.destroy();
    await writing;
    expect(target.listenerCount('close')).toBe(0);
  });

  it('ends its waiting when it is over, whatever the reader does', async () => {
    const { target } = reader();
    const over = new AbortController();
    const outlet = new Outlet(target, over.signal);
    const writing = outlet.write('more than ten bytes');
    over.abort();
    await writing;
    await outlet.write('more');
    expect(target.writableLength).toBe(19);
  });
});
