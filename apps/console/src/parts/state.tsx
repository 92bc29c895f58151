import { ApiError, ConnectionError } from '@carillon/client';
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../api/loaded';

/** An error in words, with the id by which the operator finds it. */
export function Problem({ error, again }: { error: unknown; again?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return (
    <div class="problem" role="alert">
      <p>{sentenceOf(error)}</p>
      {requestId && (
        <p class="faint">
          Request <code>{requestId}</code>
        </p>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

export function sentenceOf(error: unknown): string {
  if (error instanceof ConnectionError)
    return navigator.onLine ? 'The server cannot be reached.' : 'This device is offline.';
  if (error instanceof ApiError && error.status === 403) return `You may not do this: ${error.message}`;
  if (error instanceof ApiError) return error.message;
  if (error instanceof DOMException && error.name === 'InvalidStateError')
    return 'This authenticator has a passkey of the account already.';
  if (error instanceof DOMException) return 'No passkey was given. Try again, or use another way.';
  return 'This part of the page could not be loaded.';
}

interface ShownProps<T> {
  readonly of: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Draws what was loaded, or that it is being loaded, or why it is not there. */
export function Shown<T>({ of, children }: ShownProps<T>) {
  return (
    <>
      {of.error !== undefined && <Problem error={of.error} again={of.reload} />}
      {of.data !== undefined && children(of.data)}
      {of.data === undefined && of.error === undefined && <Loading />}
    </>
  );
}

export const Loading = () => (
  <p class="loading" role="status">
    Loading …
  </p>
);

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;
