import { useEffect } from 'preact/hooks';
import { onTold, type Told } from './stream';

const restMs = 500;

/** Reloads after changes that concern it: once for those of half a second, and while hidden not before it is seen. */
export function useReloadOn(concerns: (told: Told) => boolean, reload: () => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isDue = false;
    const work = (): void => {
      timer = undefined;
      if (document.visibilityState !== 'visible') return;
      isDue = false;
      reload();
    };
    const soon = (): void => {
      isDue = true;
      timer ??= setTimeout(work, restMs);
    };
    const seen = (): void => {
      if (isDue) soon();
    };
    const stop = onTold((told) => {
      if (concerns(told)) soon();
    });
    document.addEventListener('visibilitychange', seen);
    return () => {
      clearTimeout(timer);
      stop();
      document.removeEventListener('visibilitychange', seen);
    };
  }, []);
}
