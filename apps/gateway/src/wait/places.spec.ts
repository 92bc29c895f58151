import { type OpenWaits, Places } from './places';

const now = 1_000_000;
let told: [string, OpenWaits][] = [];
const places = (gateway: string, most = 3) =>
  new Places(gateway, most, (tokenId, waits) => told.push([tokenId, waits]));
beforeEach(() => {
  told = [];
});

/** Lets a gateway hear all that was told. */
const hear = (of: Places, atMs = now) => {
  for (const [tokenId, waits] of told) of.heard(tokenId, waits, atMs);
};

describe('the places of a token', () => {
  it('are as many as it may have, and each is free again when its wait is over', () => {
    const here = places('a');
    const taken = () => [1, 2, 3, 4].map(() => here.take('tok_1', now));
    expect(taken()).toEqual([true, true, true, false]);
    here.give('tok_1');
    expect(here.take('tok_1', now)).toBe(true);
    expect(here.take('tok_1', now)).toBe(false);
    expect(here.take('tok_2', now)).toBe(true);
  });

  it('are counted over all gateways', () => {
    const [one, other] = [places('a'), places('b')];
    one.take('tok_1', now);
    one.take('tok_1', now);
    hear(other);
    expect(other.take('tok_1', now)).toBe(true);
    expect(other.take('tok_1', now)).toBe(false);
    expect(other.take('tok_2', now)).toBe(true);
    hear(one);
    expect(one.take('tok_1', now)).toBe(false);
    one.give('tok_1');
    one.give('tok_1');
    hear(other);
    expect(other.take('tok_1', now)).toBe(true);
  });

  it('do not count their own gateway twice, which hears itself', () => {
    const here = places('a');
    here.take('tok_1', now);
    here.take('tok_1', now);
    hear(here);
    expect(here.take('tok_1', now)).toBe(true);
  });

  it('of a gateway that died are free again when its waits would be over', () => {
    const [one, other] = [places('a'), places('b')];
    for (let n = 0; n < 3; n += 1) one.take('tok_1', now);
    hear(other);
    expect(other.take('tok_1', now + 69_999)).toBe(false);
    expect(other.take('tok_1', now + 70_000)).toBe(true);
  });

  it('leave nothing behind', () => {
    const [one, other] = [places('a'), places('b')];
    one.take('tok_1', now);
    one.take('tok_2', now);
    hear(other);
    expect(other.size).toBe(2);
    one.give('tok_1');
    hear(other);
    expect(other.size).toBe(1);
    other.forget(now + 70_000);
    expect(other.size).toBe(0);
  });
});
