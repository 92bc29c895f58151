import { type Decider, fold, isPassing, Refused } from './decider';

type BellEvent =
  | { readonly type: 'Hung'; readonly tower: string | null; readonly weight: number }
  | { readonly type: 'Rung' };

const bell: Decider<number, BellEvent> = {
  category: 'bell',
  initial: 0,
  evolve(rings, event) {
    switch (event.type) {
      case 'Hung':
        return 0;
      case 'Rung':
        return rings + 1;
    }
  },
  personal: { Hung: ['tower'], Rung: [] },
};

const rung: BellEvent = { type: 'Rung' };
/** An event as a newer version writes it. */
const newer = (type: string): BellEvent => ({ ...rung, type: type as 'Rung' });

const refusal = (fails: () => unknown): unknown => {
  try {
    return fails();
  } catch (error) {
    return error;
  }
};

describe('the state of a stream', () => {
  it('is made of its events in order, from the initial state or from a given one', () => {
    expect(fold(bell, [])).toBe(0);
    expect(fold(bell, [rung, rung])).toBe(2);
    expect(fold(bell, [rung], 4)).toBe(5);
  });

  it.each(['Muffled', 'rung', '', 'constructor', 'toString', '__proto__'])(
    'is refused for now when a newer version wrote an event of an unknown type: %p',
    (type) => {
      for (const events of [[newer(type)], [rung, newer(type)], [newer(type), rung]]) {
        const refused = refusal(() => fold(bell, events));
        expect(refused).toBeInstanceOf(Refused);
        expect(refused).toMatchObject({ reason: 'event.unknown', details: { category: 'bell', type } });
        expect(isPassing(refused)).toBe(true);
      }
    },
  );

  it('does not compile unless its decider names exactly the types of its events', () => {
    const { personal: _, ...unnamed } = bell;
    const deciders: Decider<number, BellEvent>[] = [
      // @ts-expect-error No type is named.
      unnamed,
      // @ts-expect-error `Rung` is missing.
      { ...unnamed, personal: { Hung: ['tower'] } },
      // @ts-expect-error It is `Rung`.
      { ...unnamed, personal: { Hung: ['tower'], Rang: [] } },
      // @ts-expect-error There is no event `Struck`.
      { ...unnamed, personal: { Hung: ['tower'], Rung: [], Struck: [] } },
      // @ts-expect-error `weight` cannot be null, so it cannot be personal.
      { ...unnamed, personal: { Hung: ['weight'], Rung: [] } },
    ];
    expect(deciders).not.toContainEqual(bell);
  });
});
