import { compareInstants, compareTexts } from '@carillon/eventing';
import { type Item, itemId } from './item';

/** The change of one project by new items. */
export interface Grown {
  readonly first: Item;
  readonly newest: Item;
  readonly count: number;
  /** The last that an item gives it. */
  readonly name: string | null;
  /** The other account that gave it. */
  readonly namedBy: string | null;
}

/** The projects of new items, each once. */
export function grownBy(items: readonly Item[]): readonly Grown[] {
  const projects = new Map<string, Grown>();
  for (const item of items) {
    const key = `${item.accountId} ${item.projectId}`;
    const { first, newest, count, name, namedBy } = projects.get(key) ?? {
      first: item,
      newest: item,
      count: 0,
      name: null,
      namedBy: null,
    };
    const isNamed = item.projectName !== null && givesItsName(item);
    projects.set(key, {
      first,
      newest: byAge(item, newest) >= 0 ? item : newest,
      count: count + 1,
      name: isNamed ? item.projectName : name,
      namedBy: isNamed ? item.senderId : namedBy,
    });
  }
  return [...projects.values()];
}

const byAge = (one: Item, other: Item): number =>
  compareInstants(one.at, other.at) || compareTexts(itemId(one), itemId(other));

/** A service has the same name for all recipients; a project name from another account renames no own project. */
const givesItsName = ({ senderId, origin }: Item): boolean => senderId === null || origin === 'event';
