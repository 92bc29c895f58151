import { costlyTexts } from './growth';

/** As many steps as it says, where the text is this one. */
const steps = (unit: string, count: (length: number) => number) => (text: string) => {
  let done = 0;
  if (text.startsWith(unit.repeat(8))) for (const end = count(text.length); done < end;) done += 1;
  return done;
};

describe('the texts that cost too much', () => {
  it.each([
    ['the square of their length', '*_', (length: number) => length ** 2 * 4],
    ['its third power', '\t]', (length: number) => length ** 3 / 500],
    ['its square from some length on', '_', (length: number) => (length < 5_000 ? 0 : length ** 2 * 4)],
  ])('are those whose work grows with %s', (_name, unit, count) =>
    expect(costlyTexts(steps(unit, count))).toContain(
      JSON.stringify(`${unit.repeat(unit.length === 1 ? 4 : 2)}…`),
    ),
  );

  it('are none whose work grows with their length', () =>
    expect(costlyTexts(steps('*_', (length) => length * 40))).toEqual([]));

  it('are among those that are named, too', () =>
    expect(
      costlyTexts(
        steps('a- b', (length) => length ** 2 * 4),
        ['a- b'],
      ),
    ).toEqual(['"a- ba- b…"']));
});
