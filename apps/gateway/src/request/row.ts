import { type Contract, nextCursor, type ListPage, type Scope } from '@carillon/contracts';
import { list, object, type Schema } from '@carillon/schema';
import type { EdgeRequest } from './edge-request';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may come in. `session` takes a person's cookie or app token, `app` only the latter. */
export type RouteAccess = 'token' | 'session' | 'app' | 'public';

/** Fields of a body, each with the scopes that it needs beside those of the route. */
export type FieldScopes = Readonly<Record<string, readonly Scope[]>>;

export interface RowOptions {
  /** Status of a success; 200 unless said. */
  readonly status?: number;
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  readonly alsoNeeds?: FieldScopes;
  /** The reason to say no by the fields as they came, before any of them is checked. */
  readonly refusesUnread?: (given: Readonly<Record<string, unknown>>) => string | undefined;
  /**
   * `send`: counts against the account's sends a minute as well. Of routes that need no credential `public` counts by
   * the caller's network, and `sign-up` by that twice: what it costs is not the request alone. `page`: has a reserve of
   * its own, from which the service takes when nothing absorbs it.
   */
  readonly rate?: 'send' | 'page' | 'public' | 'sign-up';
  /** What of the query applies to what is asked: all of it unless said. */
  readonly applies?: (query: Readonly<Record<string, unknown>>) => object;
  /** Given this field its rate is `page`: it is no send of the account. */
  readonly pagesWith?: string;
  /** The person must have signed in within the last 15 minutes; a function when that hangs on the input. */
  readonly recent?: boolean | ((input: never) => boolean);
  /** From the answer's value to the body, where they differ. May set the status or headers of the reply. */
  readonly view?: (value: never, request: EdgeRequest) => unknown;
  /** What `view` or the gateway's own answer looks like; without it, the body is what the contract answers. */
  readonly body?: Schema<unknown>;
  /** The media type of a success, where that is not JSON. */
  readonly media?: string;
  /** Another form of the same success, with the headers that it has. */
  readonly alsoAs?: { readonly media: string; readonly headers: readonly string[] };
  /** What the gateway itself says no with here, beside what it says everywhere. */
  readonly errors?: readonly (readonly [status: number, code: string, sentence: string])[];
  /** Another status that a success may have. */
  readonly otherStatus?: number;
  /** Nothing that anybody may rely on, so the documents leave it out. */
  readonly undescribed?: boolean;
  /** A browser that is signed in already gets another session for the one that it has. */
  readonly rotates?: boolean;
  /** The audit log tells of it: where the request came from is stored beside its events. */
  readonly audited?: boolean;
  /** The same of a request that gives this field. */
  readonly auditedWith?: string;
  /** The token that this request ends, so that this gateway forgets it at once. */
  readonly revokes?: (request: EdgeRequest, input: never) => string | undefined;
  /** How long the answer may take, in milliseconds. */
  readonly timeoutMs?: number;
}

/** One route that the world may call. No row, no access. */
export interface Row extends RowOptions {
  readonly method: Method;
  readonly path: string;
  readonly access: RouteAccess;
  readonly scopes: readonly Scope[];
  /** What is asked on the bus; absent where a controller or the gateway itself answers. */
  readonly contract?: Contract<unknown, unknown>;
  /** Answered by the gateway from what it knows of the caller. */
  readonly local?: (request: EdgeRequest) => unknown;
}

/** Whether a route changes a team, so that the audit log tells where it was called from. Others say so themselves. */
export const changesTeam = (method: Method, path: string): boolean =>
  method !== 'GET' && /^\/(teams|invites|oncall|pages|apps)(\/|$)/.test(path);

export const rowName = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`;

/** A view with the description of what it gives. */
export const viewed = <Value, Body>(
  body: Schema<Body>,
  view: (value: Value, request: EdgeRequest) => Body,
): Pick<RowOptions, 'body' | 'view'> => ({ body, view });

/** A page of a list under its plural name. */
export const listed = <Item>(plural: string, item: Schema<Item>): Pick<RowOptions, 'body' | 'view'> => ({
  body: object({ [plural]: list(item), nextCursor }),
  view: ({ items, nextCursor: next }: ListPage<Item>) => ({ [plural]: items, nextCursor: next }),
});
