import type { Idempotency } from '@carillon/bus';
import type { SessionIdentity, TokenIdentity } from '@carillon/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Row } from './row';

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
  /** Set when the access guard has read the request already. */
  read?: ReadRequest;
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
