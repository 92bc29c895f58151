import { useSignal } from '@preact/signals';

interface SecretProps {
  readonly label: string;
  readonly value: string;
  readonly hide: () => void;
}

/** Shown once: it is in the memory of this page alone, and gone when it is hidden or left. */
export function Secret({ label, value, hide }: SecretProps) {
  const isCopied = useSignal(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(value).then(() => (isCopied.value = true));
  };
  return (
    <section class="secret" aria-label={label}>
      <p role="status">{label}. It is shown this once: copy it now.</p>
      <p>
        <code>{value}</code>
      </p>
      <div class="actions">
        <button type="button" onClick={copy}>
          {isCopied.value ? 'Copied' : 'Copy'}
        </button>
        <button type="button" onClick={hide}>
          Hide
        </button>
      </div>
    </section>
  );
}
