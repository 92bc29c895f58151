import type { ChainedRecord } from './chain.service';

/** A store takes a mebibyte at once; sealed text is a third longer than it was. */
const maxBytes = 400_000;
const maxEntries = 200;

/** Entries of a chain in their order, cut so that each piece fits into one append. */
export function inAppends(told: readonly ChainedRecord[]): ChainedRecord[][] {
  const pieces: ChainedRecord[][] = [];
  let slot = 0;
  for (const each of told) {
    const bytes = Buffer.byteLength(JSON.stringify(each.said));
    const piece = pieces.at(-1);
    if (piece && piece.length < maxEntries && bytes <= slot) piece.push(each);
    else {
      pieces.push([each]);
      slot = maxBytes;
    }
    slot -= bytes;
  }
  return pieces;
}
