import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

let isFirst = true;

interface PageProps {
  readonly title: string;
  readonly isNarrow?: boolean;
  readonly children: ComponentChildren;
}

/** A page with its heading, which takes the focus after a navigation, so that a screen reader reads it. */
export function Page({ title, isNarrow = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Carillon`;
  }, [title]);
  // With the first frame: later it would take the focus from who has begun to write.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return (
    <main class={isNarrow ? 'narrow' : ''}>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}
