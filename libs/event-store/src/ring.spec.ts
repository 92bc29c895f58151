import type { Recorded } from '@carillon/eventing';
import { Ring } from './ring';

const event = (position: number, text = ''): Recorded =>
  ({ position: BigInt(position), event: { type: 'ThingSaid', parts: [{ text }] } }) as unknown as Recorded;
const positions = (events: readonly Recorded[]): number[] => events.map(({ position }) => Number(position));

describe('the ring', () => {
  it('returns the events after a position, up to a maximum', () => {
    const ring = new Ring();
    expect(ring.add([event(10), event(20), event(30)])).toBeUndefined();
    expect(positions(ring.after(10n, 5).events)).toEqual([20, 30]);
    expect(ring.after(10n, 1)).toMatchObject({ isAll: false });
    expect(ring.after(10n, 2)).toMatchObject({ isAll: true });
    expect(ring.after(30n, 2)).toEqual({ events: [], isAll: true });
  });

  it('evicts the oldest events when there are too many, and returns up to where', () => {
    const ring = new Ring(4, 1_000_000);
    const floors = Array.from({ length: 6 }, (_, n) => ring.add([event(n + 1)]));
    expect(floors).toEqual([undefined, undefined, undefined, undefined, undefined, 2n]);
    expect(positions(ring.after(0n, 10).events)).toEqual([3, 4, 5, 6]);
  });

  it('evicts the oldest events when they are too large together', () => {
    const ring = new Ring(10_000, 1_000_000);
    let floor: bigint | undefined;
    for (let n = 1; n <= 100; n += 1) floor = ring.add([event(n, '語'.repeat(32_000))]) ?? floor;
    expect(ring.size).toBeLessThanOrEqual(19);
    expect(Number(floor) + ring.size).toBe(100);
  });

  it('evicts an event above its maximum size, and goes on', () => {
    const ring = new Ring(10, 50_000);
    expect(ring.add([event(1), event(2, 'x'.repeat(40_000))])).toBe(2n);
    expect(ring.size).toBe(0);
    expect(ring.add([event(3)])).toBeUndefined();
    expect(positions(ring.after(2n, 10).events)).toEqual([3]);
  });
});
