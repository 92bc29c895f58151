import type { ChainedRecord } from './chain.service';

/** The store accepts 1 MiB per append; sealing makes text a third longer. */
const maxBytes = 400_000;
const maxEntries = 200;

/** Splits entries of a chain, in order, into pieces that each fit into one append. */
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
