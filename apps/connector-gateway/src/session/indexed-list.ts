/**
 * Things that come and go at a high rate. Unlike a `Set`, which leaves a table behind each time it tidies up: an old
 * one keeps what it held from the quick kind of garbage collection.
 */
export class IndexedList<Thing> {
  private readonly entries: { readonly thing: Thing; at: number }[] = [];

  get size(): number {
    return this.entries.length;
  }

  /** All that are in it now, whatever happens to them meanwhile. */
  get all(): readonly Thing[] {
    return this.entries.map(({ thing }) => thing);
  }

  /** Call the returned function to remove the item. */
  add(thing: Thing): () => void {
    const entry = { thing, at: this.entries.length };
    this.entries.push(entry);
    return () => {
      if (this.entries[entry.at] !== entry) return;
      const last = this.entries.pop()!;
      if (last === entry) return;
      this.entries[entry.at] = last;
      last.at = entry.at;
    };
  }
}
