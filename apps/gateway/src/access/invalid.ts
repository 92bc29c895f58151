/** How many secrets one question may name. */
const askedAtOnce = 500;

/** Those of these hashes that are not of valid secrets, as far as `ask` tells; one that fails says nothing. */
export async function invalidAmong(
  hashes: Iterable<string>,
  ask: (hashes: string[]) => Promise<readonly string[]>,
): Promise<string[]> {
  const all = [...new Set(hashes)];
  const invalid: string[] = [];
  for (let from = 0; from < all.length; from += askedAtOnce) {
    const some = all.slice(from, from + askedAtOnce);
    const valid = new Set(await ask(some).catch(() => some));
    invalid.push(...some.filter((hash) => !valid.has(hash)));
  }
  return invalid;
}
