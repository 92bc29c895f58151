import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

/** What a part of the page knows of something that it loads. */
export interface Loaded<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  reload(): void;
  /** Replaces the data by what an answer of the server has said. */
  set(data: T): void;
}

/** Loads when the part appears and whenever the key changes. Data that is there stays while it is loaded again. */
export function useLoaded<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: unknown; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const over = new AbortController();
    setState((before) => (before.key === key ? { ...before, isLoading: true } : { key, isLoading: true }));
    latest
      .current(over.signal)
      .then((data) => !over.signal.aborted && setState({ key, data, isLoading: false }))
      .catch(
        (error: unknown) =>
          !over.signal.aborted && setState((before) => ({ ...before, error, isLoading: false })),
      );
    return () => over.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((before) => before + 1), []);
  const set = useCallback((data: T) => setState({ key, data, isLoading: false }), [key]);
  return { ...(state.key === key ? state : { isLoading: true }), reload, set };
}
