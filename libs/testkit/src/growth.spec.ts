import { costlyTexts } from './growth';

/** As many steps as it says, where the text is this one. */
const steps = (unit: string, count: (length: number) => number) => (text: string) => {
  let done = 0;
  if (text.startsWith(unit.repeat(8))) for (const end = count(text.length); done < end;) done += 1;
  return done;
};

describe('the texts that cost too much', () => {
  it.each([
    ['the third power of their length', '\t]', (length: number) => length ** 3 / 4_000],
    [
      'its third power from some length on',
      '_',
      (length: number) => (length < 5_000 ? 0 : length ** 3 / 4_000),
    ],
  ])('are those whose work grows with %s', (_name, unit, count) =>
    expect(costlyTexts(steps(unit, count))).toContain(JSON.stringify(`${unit.repeat(2)}…`)),
  );

  it('are none whose work grows with their length', () =>
    expect(costlyTexts(steps('*_', (length) => length * 40))).toEqual([]));

  it('are among those that are named, too', () =>
    expect(
      costlyTexts(
        steps('a- b', (length) => length ** 3 / 4_000),
        ['a- b'],
      ),
    ).toEqual(['"a- ba- b…"']));
});
