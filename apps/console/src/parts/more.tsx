import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { useLoaded } from '../api/loaded';
import { useReloadOn } from '../stream/reload';
import type { Told } from '../stream/stream';
import { Empty, Problem, Shown } from './state';

interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

interface ListProps<Item> {
  /** Another list where it changes. */
  readonly name: string;
  readonly load: (cursor?: string) => Promise<ListPage<Item>>;
  readonly empty: string;
  readonly keyOf: (item: Item) => string;
  /** Which changes the list shows. */
  readonly reloadOn?: (told: Told) => boolean;
  readonly children: (item: Item, changed: () => void) => ComponentChildren;
}

/** A list of the API that is loaded page by page, when somebody asks for more. */
export function List<Item>({ name, load, empty, keyOf, reloadOn, children }: ListProps<Item>) {
  const shown = useRef(0);
  const loaded = useLoaded(name, async () => {
    let { items, next } = await load();
    while (items.length < shown.current && next !== null) {
      const page = await load(next);
      items = [...items, ...page.items];
      next = page.next;
    }
    return { items, next };
  });
  shown.current = loaded.data?.items.length ?? 0;
  useReloadOn((told) => reloadOn?.(told) ?? false, loaded.reload);
  const failure = useSignal<unknown>(undefined);
  const more = (page: ListPage<Item>): void => {
    failure.value = undefined;
    load(page.next ?? undefined)
      .then(({ items, next }) => loaded.set({ items: [...page.items, ...items], next }))
      .catch((error: unknown) => (failure.value = error));
  };
  return (
    <Shown of={loaded}>
      {(page) => (
        <>
          {page.items.length === 0 && <Empty>{empty}</Empty>}
          {page.items.length > 0 && (
            <ul class="cards">
              {page.items.map((item) => (
                <li key={keyOf(item)}>{children(item, loaded.reload)}</li>
              ))}
            </ul>
          )}
          {failure.value !== undefined && <Problem error={failure.value} />}
          {page.next !== null && (
            <button type="button" onClick={() => more(page)}>
              Show more
            </button>
          )}
        </>
      )}
    </Shown>
  );
}
