/**
 * Each means something to some rule, escape or encoding: white space of all kinds, marks of markdown, JSON and URLs,
 * what combines with its neighbour, and halves of a pair.
 */
const signs = [
  ...[' ', '\t', '\n', '\r', '\v', '\0', '\u0085', '\u00a0', '\u2028', '\u2029', '\u3000'],
  ...'*_`~[](){}<>#=-+!|^:;,./\\"\'&%@a1',
  ...['é', '\u0301', '\u0327', '\u200d', '\ufe0f', '\u{1f514}', '\u{1f1e9}', '\ud83d', '\udd14'],
];
const pairs = signs.flatMap((one, at) => signs.slice(at + 1).map((other) => one + other));
const beginnings = ['', '['];

const length = 8_000;
const growth = 4;
/** Less than this is no attack, whatever it grows like: a step for each pair of characters takes many times longer. */
const cheapMs = 20;
const tries = 3;
/**
 * What costs less at a fourth of the length stays cheap at the whole of it, even where it grows with the third power,
 * so that few pairs of signs need their full length: nor does what costs then about as much as most signs do.
 */
const cheapShortMs = cheapMs / growth ** 3;

/**
 * Of the long texts that are two signs by turns (or one of `units` again and again), those for which the work of a
 * function grows faster than their length. What counts is the processor's time of this process, the least of several
 * tries, and only where it is much: so a busy machine finds none that an idle one does not.
 */
export function costlyTexts(work: (text: string) => unknown, units: readonly string[] = []): string[] {
  const found: string[] = [];
  const note = ({ name, text }: Repeated): void => {
    if (growsTooFast(work, text)) found.push(name);
  };
  const short = ({ text }: Repeated): number => cpuMs(work, text(length / growth));
  // At full length in any case: so what a rule does from some length on is met by each sign.
  const single = repeated(signs);
  single.forEach(note);
  const bound = Math.max(cheapShortMs, median(single.map(short)) * 1.5);
  for (const each of repeated([...pairs, ...units])) if (short(each) >= bound) note(each);
  return found;
}

interface Repeated {
  readonly name: string;
  readonly text: (size: number) => string;
}

const repeated = (units: readonly string[]): Repeated[] =>
  units.flatMap((unit) =>
    beginnings.map((beginning) => ({
      name: JSON.stringify(`${beginning}${unit}${unit}…`),
      text: (size: number) => `${beginning}${unit.repeat(size / unit.length)}x`,
    })),
  );

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1]!;

function growsTooFast(work: (text: string) => unknown, text: (size: number) => string): boolean {
  const long = text(length);
  if (cpuMs(work, long) < cheapMs) return false;
  const whole = least(work, long);
  return whole >= cheapMs && whole > least(work, text(length / growth)) * growth * 2.5;
}

const least = (work: (text: string) => unknown, text: string): number =>
  Math.min(...Array.from({ length: tries }, () => cpuMs(work, text)));

/** Also a text that is refused has cost what it took to refuse it. */
function cpuMs(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    work(text);
  } catch {
    // Whether it is refused is for other tests to say.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
