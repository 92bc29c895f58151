import { type EventStore, StoreRefused } from './event-store';

/** How many events one look for the log's end reads. */
const endPageSize = 500;

/** Where a log ends and which positions it has, as long as it is surely the same one: asked once for all who compare. */
export class Extent {
  private known = 0n;
  private looking: Promise<bigint> | undefined;
  private readonly positions = new Map<bigint, Promise<boolean>>();

  constructor(private readonly store: EventStore) {}

  /** Where it ends, or a position up to which it goes at least, if that is not before the given one. */
  async end(atLeast: bigint): Promise<bigint> {
    if (this.known < atLeast) await this.look();
    // A look that was under way may have been too early.
    if (this.known < atLeast) await this.look();
    return this.known;
  }

  /** Whether an event stands at this position: what is none of its positions, the store refuses to read from. */
  has(position: bigint): Promise<boolean> {
    let has = this.positions.get(position);
    if (!has) {
      this.positions.set(position, (has = isPositionOf(this.store, position)));
      has.catch(() => this.positions.delete(position));
    }
    return has;
  }

  private async look(): Promise<void> {
    this.looking ??= endOf(this.store).finally(() => (this.looking = undefined));
    this.known = await this.looking;
  }
}

/** The last position in the log, what the store itself wrote included. */
async function endOf(store: EventStore): Promise<bigint> {
  for (let at = await store.head(); ;) {
    const { last, end } = await store.readAll(at === 0n ? undefined : at, endPageSize);
    at = last ?? at;
    if (end || last === undefined) return at;
  }
}

async function isPositionOf(store: EventStore, position: bigint): Promise<boolean> {
  try {
    await store.readAll(position, 1);
    return true;
  } catch (error) {
    if (error instanceof StoreRefused) return false;
    throw error;
  }
}
