import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Problem } from './state';

interface ActProps {
  readonly children: ComponentChildren;
  readonly act: () => Promise<void>;
  /** What is asked before it is done. */
  readonly sure?: string;
}

/** A button that does something at the server, asks first where that cannot be undone, and says when it failed. */
export function Act({ children, act, sure }: ActProps) {
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const run = (): void => {
    dialog.current?.close();
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = undefined;
    act()
      .catch((error: unknown) => (failure.value = error))
      .finally(() => (isBusy.value = false));
  };
  return (
    <>
      <button
        type="button"
        class={sure ? 'danger' : ''}
        aria-disabled={isBusy.value}
        onClick={() => (sure ? dialog.current?.showModal() : run())}
      >
        {children}
      </button>
      {sure && (
        <dialog ref={dialog} aria-label={sure}>
          <p>{sure}</p>
          <div class="actions">
            <button type="button" class="danger" onClick={run}>
              {children}
            </button>
            <button type="button" onClick={() => dialog.current?.close()}>
              Cancel
            </button>
          </div>
        </dialog>
      )}
      {failure.value !== undefined && <Problem error={failure.value} />}
    </>
  );
}
