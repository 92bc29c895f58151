import type { SessionIdentity, TokenIdentity } from '@carillon/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Row } from './row';

/** What the edge has found out about one request on its way in. */
export interface EdgeRequest {
  readonly http: FastifyRequest;
  readonly reply: FastifyReply;
  readonly requestId: string;
  row: Row;
  token?: TokenIdentity;
  session?: SessionIdentity;
  /** Of the session's secret: what a request that stays open is checked by again. */
  sessionHash?: string;
  /** The secret came as a cookie, so the browser added it by itself. */
  byCookie: boolean;
  /** Status of a success, when it is not the row's. */
  status?: number;
}

const edge = Symbol('edge');

export const edgeOf = (http: FastifyRequest): EdgeRequest => {
  const found = (http as unknown as Record<symbol, EdgeRequest | undefined>)[edge];
  if (!found) throw new Error('The request has not passed the door');
  return found;
};

export const setEdge = (http: FastifyRequest, request: EdgeRequest): void => {
  (http as unknown as Record<symbol, EdgeRequest>)[edge] = request;
};
