import { ApiError } from '@carillon/client';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { Problem } from './state';

/** What the server said of each field, by its path. */
const Issues = createContext<ReadonlyMap<string, string>>(new Map());

interface FormProps {
  readonly label: string;
  readonly submit: string;
  /** Sends the form. What it throws is shown: issues at their fields, all else above the button. */
  readonly send: (form: FormData) => Promise<void>;
  readonly children?: ComponentChildren;
}

export function Form({ label, submit, send, children }: FormProps) {
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const issues = error instanceof ApiError ? error.issues : [];
  const onSubmit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    setError(undefined);
    try {
      await send(new FormData(form));
    } catch (thrown) {
      setError(thrown);
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    } finally {
      setBusy(false);
    }
  };
  return (
    <form aria-label={label} onSubmit={(event) => void onSubmit(event)} noValidate>
      <Issues.Provider value={new Map(issues.map(({ path, message }) => [path, message]))}>
        {children}
      </Issues.Provider>
      {error !== undefined && <Problem error={error} />}
      <button type="submit" class="primary" aria-disabled={isBusy}>
        {submit}
      </button>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: string;
  readonly value?: string;
  readonly hint?: string;
  readonly autocomplete?: string;
  readonly rows?: number;
  readonly options?: readonly (readonly [value: string, label: string])[];
  readonly onInput?: (value: string) => void;
}

/** A field with its label, a hint, and what the server says of it. */
export function Field({ label, name, type, value, hint, autocomplete, options, rows, onInput }: FieldProps) {
  const id = useId();
  const issue = useContext(Issues).get(name);
  const notes = [...(hint ? [`${id}-hint`] : []), ...(issue ? [`${id}-issue`] : [])].join(' ');
  const common = {
    id,
    name,
    'aria-invalid': issue !== undefined,
    ...(notes && { 'aria-describedby': notes }),
    onInput: (event: { currentTarget: { value: string } }) => onInput?.(event.currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options ? (
        <select {...common}>
          {options.map(([each, text]) => (
            <option key={each} value={each} selected={each === value}>
              {text}
            </option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...common} rows={rows} defaultValue={value} />
      ) : (
        // The types of Preact know a type of input only where it is written down.
        <input {...common} type={type as 'text'} autocomplete={autocomplete} defaultValue={value} />
      )}
      {hint && (
        <p id={`${id}-hint`} class="faint">
          {hint}
        </p>
      )}
      {issue && (
        <p id={`${id}-issue`} class="issue">
          {issue}
        </p>
      )}
    </div>
  );
}

/** What the server says of something that is no single field. */
export function Issue({ of }: { of: string }) {
  const issue = useContext(Issues).get(of);
  return issue === undefined ? null : <p class="issue">{issue}</p>;
}

/** A text of a form; empty when it has none. */
export const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

/** The moment of a `datetime-local`, which gives a time here; empty when it has none. */
export const momentOf = (local: string): string => (local === '' ? '' : new Date(local).toISOString());

/** A moment as `datetime-local` takes it: its minute here. */
export const localOf = (at: string): string => {
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
