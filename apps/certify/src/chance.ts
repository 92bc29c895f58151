/**
 * Numbers from 0 up to 1 that a seed decides (mulberry32 by Tommy Ettinger, public domain): the same faults in the
 * same order when a run is made again.
 */
export function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const oneOf = <Item>(items: readonly [Item, ...Item[]], chance: () => number): Item =>
  items[Math.floor(chance() * items.length)] ?? items[0];
