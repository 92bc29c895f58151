/**
 * Each means something to some rule, escape or encoding: white space of all kinds, marks of markdown, JSON and URLs,
 * what combines with its neighbour, and halves of a pair.
 */
const signs = [
  ...[' ', '\t', '\n', '\r', '\v', '\0', '\u0085', '\u00a0', '\u2028', '\u2029', '\u3000'],
  ...'*_`~[](){}<>#=-+!|^:;,./\\"\'&%@a1',
  ...['é', '\u0301', '\u0327', '\u200d', '\ufe0f', '\u{1f514}', '\u{1f1e9}', '\ud83d', '\udd14'],
];
const pairs = signs.flatMap((one, at) => signs.slice(at).map((other) => one + other));
const beginnings = ['', '['];

const length = 8_000;
const growth = 4;
/** Less than this is no attack, whatever it grows like: a step for each pair of characters takes many times longer. */
const cheapMs = 20;
/**
 * What costs less at a fourth of the length stays cheap at the whole of it, even where it grows with the third power, so
 * that few pairs of signs need their full length.
 */
const cheapShortMs = cheapMs / growth ** 3;
const tries = 3;

/**
 * Of the long texts that are two signs by turns (or one of `units` again and again), those for which the work of a
 * function grows faster than their length. What counts is the processor's time of this process, the least of several
 * tries, and only where it is much: so a busy machine finds none that an idle one does not.
 */
export function costlyTexts(work: (text: string) => unknown, units: readonly string[] = []): string[] {
  const found: string[] = [];
  for (const unit of [...pairs, ...units])
    for (const beginning of beginnings) {
      const text = (size: number): string => `${beginning}${unit.repeat(size / unit.length)}x`;
      if (mayBeCheap(unit) && cpuMs(work, text(length / growth)) < cheapShortMs) continue;
      if (growsTooFast(work, text)) found.push(JSON.stringify(`${beginning}${unit}${unit}…`));
    }
  return found;
}

/** Not the same sign again and again: so a rule that does more from some length on is met there by each sign. */
const mayBeCheap = (unit: string): boolean => new Set(unit).size > 1;

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
