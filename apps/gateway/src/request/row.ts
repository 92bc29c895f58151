import type { Idempotency } from '@carillon/bus';
import {
  type Contract,
  type ListPage,
  nextCursor,
  type Scope,
  type SessionIdentity,
  type TokenIdentity,
} from '@carillon/contracts';
import { list, object, type Schema } from '@carillon/schema';
import type { FastifyReply, FastifyRequest } from 'fastify';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The credential of a route. `session` accepts a person's cookie or app token, `app` only the latter. */
export type RouteAccess = 'token' | 'session' | 'app' | 'public';

/** Fields of a body, each with the scopes that it needs in addition to those of the route. */
export type FieldScopes = Readonly<Record<string, readonly Scope[]>>;

export interface RowOptions {
  /** Status of a success; default 200. */
  readonly status?: number;
  /** Accepts `Idempotency-Key`. */
  readonly idempotent?: boolean;
  readonly alsoNeeds?: FieldScopes;
  /** The refusal reason by the unvalidated fields, if any; called before validation. */
  readonly refusesUnread?: (given: Readonly<Record<string, unknown>>) => string | undefined;
  /** Throws for a request that is refused whatever its input says. */
  readonly refuse?: (request: EdgeRequest) => void;
  /** Whether only an app's session may ask for this; called before validation. */
  readonly onlyInApp?: (given: Readonly<Record<string, unknown>>) => boolean;
  /**
   * `send`: also counts against the account's sends per minute. For routes without a credential, `public` counts by
   * the caller's network, and `sign-up` against a second, hourly limit of the network too. `page`: has a reserve of its
   * own, from which the service takes unless an open page absorbs the new one.
   */
  readonly rate?: 'send' | 'page' | 'public' | 'sign-up';
  /** The part of the query that applies; default all of it. */
  readonly applies?: (query: Readonly<Record<string, unknown>>) => object;
  /** With this field in the body, the rate is `page` and the request does not count as a send. */
  readonly pagesWith?: string;
  /** The person must have signed in within the last 15 minutes; a function when that depends on the input. */
  readonly recent?: boolean | ((input: never) => boolean);
  /** From the answer's value to the body, where they differ. May set the status or headers of the reply. */
  readonly view?: (value: never, request: EdgeRequest) => unknown;
  /** Schema of the result of `view` or of the gateway's own answer; default the contract's output. */
  readonly body?: Schema<unknown>;
  /** The media type of a success, when it is not JSON. */
  readonly media?: string;
  /** Another media type of the same success, with its headers. */
  readonly alsoAs?: { readonly media: string; readonly headers: readonly string[] };
  /** Errors of the gateway itself on this route, in addition to its common ones. */
  readonly errors?: readonly (readonly [status: number, code: string, sentence: string])[];
  /** A second status of a success. */
  readonly otherStatus?: number;
  /** Not part of the public API, so the documents leave it out. */
  readonly undescribed?: boolean;
  /** Posted by a form of a page of ours: requests from other sites are refused, as in the Session API. */
  readonly fromForm?: boolean;
  /** Only for operators of the installation: to others the route does not exist. */
  readonly operatorsOnly?: boolean;
  /** A browser that is signed in already gets a new session instead of its present one. */
  readonly rotates?: boolean;
  /** The audit log shows the request, so its origin is stored with its events. */
  readonly audited?: boolean;
  /** The same of a request that gives this field. */
  readonly auditedWith?: string;
  /** The token that this request ends, so that this gateway forgets it at once. */
  readonly revokes?: (request: EdgeRequest, input: never) => string | undefined;
  /** The largest body; default 64 KiB. */
  readonly maxBodyBytes?: number;
  /** Whether a request counts against the limits of the token and the account; default yes. */
  readonly counts?: (request: EdgeRequest) => boolean;
  /** Timeout of the answer in milliseconds. */
  readonly timeoutMs?: number;
}

/** One public route. A handler without a row is not accessible. */
export interface Row extends RowOptions {
  readonly method: Method;
  readonly path: string;
  readonly access: RouteAccess;
  readonly scopes: readonly Scope[];
  /** The contract to call on the bus; absent when a controller or the gateway itself answers. */
  readonly contract?: Contract<unknown, unknown>;
  /** The gateway's own answer from the request's state. */
  readonly local?: (request: EdgeRequest) => unknown;
}

/** Whether a route changes a team, so that the audit log has its origin. Other routes declare it in their row. */
export const changesTeam = (method: Method, path: string): boolean =>
  method !== 'GET' && /^\/(teams|invites|oncall|pages|apps)(\/|$)/.test(path);

export const rowName = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`;

/** A view with the schema of its result. */
export const viewed = <Value, Body>(
  body: Schema<Body>,
  view: (value: Value, request: EdgeRequest) => Body,
): Pick<RowOptions, 'body' | 'view'> => ({ body, view });

/** A list page under the plural name of its items. */
export const listed = <Item>(plural: string, item: Schema<Item>): Pick<RowOptions, 'body' | 'view'> => ({
  body: object({ [plural]: list(item), nextCursor }),
  view: ({ items, nextCursor: next }: ListPage<Item>) => ({ [plural]: items, nextCursor: next }),
});

/** The validated input of a request. */
export interface ReadRequest {
  readonly input: unknown;
  readonly idempotency?: Idempotency;
  /** `Carillon-Position`: the log position that a caller of several gateways has seen. */
  readonly after?: string;
}

/** The state of one request at the edge. */
export interface EdgeRequest {
  readonly http: HttpRequest;
  readonly reply: FastifyReply;
  readonly requestId: string;
  row: Row;
  token?: TokenIdentity;
  session?: SessionIdentity;
  /** Hash of the session's secret; open streams check the session again with it. */
  sessionHash?: string;
  /** The secret came as a cookie, so the browser added it automatically. */
  byCookie: boolean;
  /** Of a sign-in: the mark of its browser. */
  browser?: string;
  /** The account may have written through another gateway: a read must have all that the log has. */
  readsNewest?: true;
  /** Set when the access guard has read the request already. */
  read?: ReadRequest;
  /** The access guard has not counted it, and no route of a tool has been requested instead. */
  isUncounted?: boolean;
  /** Releases the rate limits that a refused request does not use up. */
  release?: () => Promise<void>;
  /** Completes the headers once the answer is known, whether a success or an error. */
  beforeReply?: () => Promise<void>;
  /** Status of a success when it differs from the row's. */
  status?: number;
}

/** The caller's account; empty for an unknown caller. */
export const accountIdOf = ({ token, session }: Pick<EdgeRequest, 'token' | 'session'>): string =>
  token?.accountId ?? session?.accountId ?? '';

/** A request as the edge reads it: its body stays bytes. */
export type HttpRequest = FastifyRequest<{
  Params: Readonly<Record<string, string>>;
  Querystring: Readonly<Record<string, unknown>>;
  Body: Buffer | null | undefined;
}>;

const edge = Symbol('edge');

declare module 'fastify' {
  interface FastifyRequest {
    [edge]?: EdgeRequest;
  }
}

export const edgeOf = (http: FastifyRequest): EdgeRequest => {
  const found = http[edge];
  if (!found) throw new Error('The request has not passed the access guard');
  return found;
};

export const setEdge = (http: FastifyRequest, request: EdgeRequest): void => {
  http[edge] = request;
};
