import type { Actor, Origin } from '@carillon/eventing';

/** The authenticated caller of a request, as the gateway has proved it. */
export interface Caller extends Actor {
  readonly accountId: string;
  readonly tokenName?: string;
  readonly ip?: string;
  /** Of a sign-in: the mark of the browser, which is random, and new where the browser has shown none. */
  readonly browser?: string;
  /** Set for requests that a tool of the Model Context Protocol makes. */
  readonly through?: 'mcp';
  /** Set for the operator routes, when the account is an operator of the installation. */
  readonly operator?: true;
  /** Set for requests that the audit log records. */
  readonly origin?: Origin;
}

/** The context that accompanies every request. */
export interface Context {
  /** One id for one attempt of one request; event ids derive from it. */
  readonly commandId: string;
  /** The id of the gateway request, shared by everything that follows from it. */
  readonly correlationId: string;
  readonly caller: Caller;
  /** Unix milliseconds by the wall clock after which the caller no longer waits for the answer. */
  readonly deadline: number;
  /** Log position that a read must not be older than. */
  readonly after?: string;
  /** A read must not be older than the newest event that the log has when the request arrives (ADR 62). */
  readonly newest?: true;
  readonly idempotency?: Idempotency;
  readonly traceparent?: string;
  /** Set on arrival of a repeated request, which may have been executed before. Only if the contract allows repeats. */
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
  /** Proves that subject, context and input come from a process that may name the caller. */
  readonly seal: string;
  /** Not sealed: a forged value only makes the handler wait for the earlier outcome. */
  readonly again?: boolean;
}

/** The result of a handler: the value, and for a write the position of its newest event in the log. */
export interface Answer<Output> {
  readonly value: Output;
  readonly position?: string;
}

export const answer = <Output>(value: Output, position?: string | bigint): Answer<Output> =>
  position === undefined ? { value } : { value, position: String(position) };

export type Wire<Output> =
  Answer<Output> | { readonly refused: string; readonly details: Readonly<Record<string, unknown>> };
