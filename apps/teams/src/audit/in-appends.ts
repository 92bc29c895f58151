import type { Told } from './chain.service';

/** A store takes a mebibyte at once; sealed text is a third longer than it was. */
const mostBytes = 400_000;
const mostEntries = 200;

/** Entries of a chain in their order, cut so that each piece fits into one append. */
export function inAppends(told: readonly Told[]): Told[][] {
  const pieces: Told[][] = [];
  let room = 0;
  for (const each of told) {
    const bytes = Buffer.byteLength(JSON.stringify(each.said));
    const piece = pieces.at(-1);
    if (piece && piece.length < mostEntries && bytes <= room) piece.push(each);
    else {
      pieces.push([each]);
      room = mostBytes;
    }
    room -= bytes;
  }
  return pieces;
}
