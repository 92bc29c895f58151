import type { Contract, Scope } from '@carillon/contracts';
import type { EdgeRequest } from '../request/edge-request';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may come in. `session` takes a person's cookie or app token, `app` only the latter. */
export type Access = 'token' | 'session' | 'app' | 'public';

export interface RowOptions {
  /** Status of a success; 200 unless said. */
  readonly status?: number;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** `send`: counts against the account's sends a minute as well. */
  readonly rate?: 'send';
  /** The person must have signed in within the last 15 minutes; a function when that hangs on the input. */
  readonly recent?: boolean | ((input: never) => boolean);
  /** From the answer's value to the body, where they differ. May set the status or headers of the reply. */
  readonly view?: (value: never, request: EdgeRequest) => unknown;
  /** The token that this request ends, so that this gateway forgets it at once. */
  readonly ends?: (request: EdgeRequest, input: never) => string | undefined;
  /** How long the answer may take, in milliseconds. */
  readonly patienceMs?: number;
}

/** One route that the world may call. No row, no access. */
export interface Row extends RowOptions {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly scopes: readonly Scope[];
  /** What is asked on the bus; absent where a controller or the gateway itself answers. */
  readonly contract?: Contract<unknown, unknown>;
  /** Answered by the gateway from what it knows of the caller. */
  readonly local?: (request: EdgeRequest) => unknown;
}

export const rowName = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`;
