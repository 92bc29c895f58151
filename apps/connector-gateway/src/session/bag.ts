/**
 * Things that come and go at a high rate. Unlike a `Set`, which leaves a table behind each time it tidies up: an old one
 * keeps what it held from the quick kind of garbage collection.
 */
export class Bag<Thing> {
  private readonly places: { readonly thing: Thing; at: number }[] = [];

  get size(): number {
    return this.places.length;
  }

  /** All that are in it now, whatever happens to them meanwhile. */
  get all(): readonly Thing[] {
    return this.places.map(({ thing }) => thing);
  }

  /** Call the answer to take it out again. */
  add(thing: Thing): () => void {
    const place = { thing, at: this.places.length };
    this.places.push(place);
    return () => {
      if (this.places[place.at] !== place) return;
      const last = this.places.pop()!;
      if (last === place) return;
      this.places[place.at] = last;
      last.at = place.at;
    };
  }
}
