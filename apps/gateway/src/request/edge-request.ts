import type { Idempotency } from '@carillon/bus';
import type { SessionIdentity, TokenIdentity } from '@carillon/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Row } from './row';

/** What a request asks for, once it was checked. */
export interface ReadRequest {
  readonly input: unknown;
  readonly idempotency?: Idempotency;
  /** `Carillon-Position`: what a caller behind several gateways has seen already. */
  readonly after?: string;
}

/** What the edge has found out about one request on its way in. */
export interface EdgeRequest {
  readonly http: HttpRequest;
  readonly reply: FastifyReply;
  readonly requestId: string;
  row: Row;
  token?: TokenIdentity;
  session?: SessionIdentity;
  /** Of the session's secret: what a request that stays open is checked by again. */
  sessionHash?: string;
  /** The secret came as a cookie, so the browser added it by itself. */
  byCookie: boolean;
  /** Where it was read at the access guard already. */
  read?: ReadRequest;
  /** Gives back what the request has taken that one which is refused does not use up. */
  release?: () => Promise<void>;
  /** What the headers of the answer still need once it is known, be it a success or not. */
  beforeReply?: () => Promise<void>;
  /** Status of a success, when it is not the row's. */
  status?: number;
}

/** Who asks; empty for somebody who is not known. */
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
