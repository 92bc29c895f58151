/** Common pieces of passwords, the longer ones first. */
const pieces = `
  administrator 1q2w3e4r5t6y qwertyuiop asdfghjkl 1q2w3e4r5t q1w2e3r4t5 basketball 1q2w3e4r q1w2e3r4
  1qaz2wsx 3edc4rfv passw0rd p@ssw0rd p@ssword password passwort changeme carillon iloveyou ilovey0u
  computer internet sunshine princess football baseball superman starwars trustno1 whatever facebook
  michelle jennifer welcome letmein zxcvbnm samsung pokemon michael charlie freedom october november
  december january february default qwerty qwertz azerty zxcvbn asdfgh batman dragon monkey master shadow
  secret google jordan summer winter spring autumn monday friday sunday admin guest hello login qaz wsx
  pass root test user
`
  .trim()
  .split(/\s+/)
  .sort((one, other) => other.length - one.length);
const fewestLeft = 5;

/**
 * Whether a password is easy to guess: nothing but common pieces, words from its account, runs such as `1234` or
 * `aaaa`, and a few other characters.
 */
export function isCommon(password: string, ofAccount: readonly string[]): boolean {
  let rest = password.normalize('NFKC').toLowerCase();
  const own = ofAccount
    .flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)])
    .map((text) => text.toLowerCase());
  for (const piece of [...own.filter((text) => text.length >= 3), ...pieces])
    rest = rest.replaceAll(piece, ' ');
  const points = [...rest].map((character) => character.codePointAt(0)!);
  const begun = points.filter((point, at) => at === 0 || Math.abs(point - points[at - 1]!) > 1);
  return new Set(begun.filter((point) => point !== 0x20)).size < fewestLeft;
}
