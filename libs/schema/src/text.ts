/** The control characters, which no text has, as they stand in a class of a pattern. */
export const controls = '\\u0000-\\u001f\\u007f';

/** C0 controls and DEL; lone halves of a surrogate pair are found with the whole pairs and told apart below. */
const suspicious = /[\u0000-\u001f\u007f\ud800-\udfff]/;
const suspiciousInLines = /[\u0000-\u0008\u000b-\u001f\u007f\ud800-\udfff]/;
const control = /[\u0000-\u001f\u007f]/;
const controlInLines = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Below U+0300 every text is its own NFC. */
const mayCompose = /[^\u0000-\u02ff]/;

export type TextFault = 'control_character' | 'broken_unicode';

/**
 * More combining marks in a row than any language has. Sorting them takes time that grows with the square of their
 * number, so a joiner that nobody sees parts them first, as Unicode has it (UAX #15, Stream-Safe Text Format).
 */
const longRuns = /(?:(?!\u034f)\p{M}){30}(?=(?!\u034f)\p{M})/gu;
const composed = (text: string): string => text.replace(longRuns, '$&\u034f').normalize('NFC');

/** NFC, then without white space at both ends: how every text is measured and kept. */
export const normalised = (text: string): string => (mayCompose.test(text) ? composed(text) : text).trim();

/** What makes a text unfit whatever its length. `\n` and `\t` pass in a text of several lines. */
export function faultOf(text: string, multiline = false): TextFault | undefined {
  if (!(multiline ? suspiciousInLines : suspicious).test(text)) return undefined;
  if ((multiline ? controlInLines : control).test(text)) return 'control_character';
  return loneSurrogate.test(text) ? 'broken_unicode' : undefined;
}

/** Characters as JSON Schema counts them: a pair of surrogates is one. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(at + 1);
    if (next < 0xdc00 || next > 0xdfff) continue;
    count -= 1;
    at += 1;
  }
  return count;
}

/** Whether a text has at most this many code points; counts only when its length does not decide. */
export const atMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && codePoints(text) <= max);

export const atLeast = (text: string, min: number): boolean =>
  text.length >= min * 2 || (text.length >= min && codePoints(text) >= min);

/**
 * The first code points of a text that came from outside, fit to be shown in a message: lone surrogates become U+FFFD.
 */
export function shortened(text: string, max: number): string {
  const short = [...text.slice(0, max * 2 + 2)].slice(0, max).join('');
  return Buffer.from(short.replace(/[\u0000-\u001f\u007f]/g, '?'), 'utf8').toString('utf8');
}

/** Cuts a text to a maximum of code points; a cut text ends with an ellipsis, which counts. */
export function cut(text: string, maxCodePoints: number): string {
  if (text.length <= maxCodePoints) return text;
  let units = 0;
  let kept = 0;
  for (let count = 0; units < text.length; count += 1) {
    if (count === maxCodePoints) return `${text.slice(0, kept).trimEnd()}…`;
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
    if (count < maxCodePoints - 1) kept = units;
  }
  return text;
}
