import type { Actor, Origin } from '@carillon/eventing';

/** Who is behind a request, as the edge has proved it. */
export interface Caller extends Actor {
  readonly accountId: string;
  readonly tokenName?: string;
  readonly ip?: string;
  /** Of requests that the audit log follows. */
  readonly origin?: Origin;
}

/** What travels with every request. */
export interface Context {
  /** One id for one attempt of one request; event ids derive from it. */
  readonly commandId: string;
  /** The request at the edge that everything of one story shares. */
  readonly correlationId: string;
  readonly caller: Caller;
  /** Unix milliseconds by the wall clock after which nobody listens to the answer. */
  readonly deadline: number;
  /** Log position that a read must not be older than. */
  readonly after?: string;
  readonly idempotency?: Idempotency;
  readonly traceparent?: string;
  /** Set where it arrives: this was asked before, and may have been done. Only where the contract allows a repetition. */
  readonly again?: true;
}

export interface Idempotency {
  readonly key: string;
  /** SHA-256 over the canonical JSON of the checked input, 64 hex digits. */
  readonly fingerprint: string;
}

export interface Ask<Input> {
  readonly context: Context;
  readonly input: Input;
  /** Proves that the context, the input and the subject come from somebody who may say who the caller is. */
  readonly seal: string;
  /** Not sealed: it takes nothing but waiting for what was done before. */
  readonly again?: boolean;
}

/** What a handler gives back: the value, and for a write the position of its newest event in the log. */
export interface Answer<Output> {
  readonly value: Output;
  readonly position?: string;
}

export const answer = <Output>(value: Output, position?: string | bigint): Answer<Output> =>
  position === undefined ? { value } : { value, position: String(position) };

export type Wire<Output> =
  Answer<Output> | { readonly refused: string; readonly details: Readonly<Record<string, unknown>> };
