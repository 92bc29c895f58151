import removeMarkdown from 'remove-markdown';

/** Maximum length that is processed; the longest body has 8000 characters. */
const maxUnits = 16_000;
const maxSteps = 2_000_000;

/**
 * Markdown without its marks, for plain-text views. Never throws. The regular expressions of the package backtrack, so
 * in text that only an attacker would write (long runs of marks, thousands of openings on one line), single characters
 * are removed instead.
 */
export function plainText(markdown: string): string {
  const calm = calmed(markdown.slice(0, maxUnits));
  if (costly(calm)) return bare(calm);
  try {
    return tidy(removeMarkdown(calm, { throwError: true }));
  } catch {
    return bare(calm);
  }
}

/**
 * Text that reads the same, without long runs of white space (mixed or not) or of one mark, which make regular
 * expressions backtrack. All line terminators that they know become `\n`.
 */
const calmed = (text: string): string =>
  text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .split('\n')
    .map((line) =>
      line
        .trimEnd()
        .replace(/^={2,}/, '')
        .replace(/\s{8,}/g, '    '),
    )
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/([*_~`#=<>![\]()|-])\1{5,}/g, '$1$1$1$1$1');

/**
 * Whether the regular expressions may take too many steps: each mark may scan its line, each opening the whole text,
 * and each line that is empty without its marks all such lines.
 */
function costly(text: string): boolean {
  let steps = marksIn(text, /[[<]|`{3}/g) * text.length;
  let empty = 0;
  for (const line of text.split('\n')) {
    steps += marksIn(line, /[*_~`![#]/g) * line.length;
    if (!/[^\s*_~`#<>=-]/.test(line)) empty += 1;
  }
  return steps + empty * empty > maxSteps;
}

const marksIn = (text: string, marks: RegExp): number => text.match(marks)?.length ?? 0;

const bare = (text: string): string => tidy(text.replace(/[*_~`#<>[\]|]/g, ''));

const tidy = (text: string): string => text.replace(/\n{3,}/g, '\n\n').trim();
