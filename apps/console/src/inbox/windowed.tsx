import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { afterFrame } from '../parts/after-frame';

interface WindowedProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly rowHeight: number;
  readonly children: (item: Item) => ComponentChildren;
  /** Called when the end of the list comes near. */
  readonly onNearEnd: () => void;
}

/** Rows beyond the edges of the window, so that the keyboard finds the next one. */
const spare = 12;

/** A long list with rows of one height: only those near the window are in the document. */
export function Windowed<Item>(props: WindowedProps<Item>) {
  const { items, keyOf, rowHeight, children, onNearEnd } = props;
  const list = useRef<HTMLOListElement>(null);
  const [range, setRange] = useState({ first: 0, last: Math.ceil(innerHeight / rowHeight) });
  useEffect(() => {
    const look = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowHeight) - spare);
      const last = Math.ceil((innerHeight - top) / rowHeight) + spare;
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    const cancel = afterFrame(look);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      cancel();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, [rowHeight]);
  useEffect(() => {
    if (range.last >= items.length - spare) onNearEnd();
  }, [range.last, items.length]);
  const shown = items.slice(range.first, range.last);
  return (
    <ol
      ref={list}
      class="rows"
      aria-label={props.label}
      style={{
        paddingTop: `${range.first * rowHeight}px`,
        paddingBottom: `${Math.max(0, items.length - range.last) * rowHeight}px`,
      }}
    >
      {shown.map((item, index) => (
        <li
          key={keyOf(item)}
          aria-setsize={items.length}
          aria-posinset={range.first + index + 1}
          style={{ height: `${rowHeight}px` }}
        >
          {children(item)}
        </li>
      ))}
    </ol>
  );
}
