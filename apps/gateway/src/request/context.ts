import { randomUUID } from 'node:crypto';
import type { Caller, Context } from '@carillon/bus';
import type { FastifyRequest } from 'fastify';
import { accountIdOf, type EdgeRequest } from './row';
import { gives } from './gives';
import { originOf } from './origin';
import { traceOf } from '../trace/trace';

/** The header of requests that the gateway makes to itself for a tool. Its value is random, so no caller can set it. */
const ownHeader = 'carillon-own-request';
export const ownRequest: Readonly<Record<string, string>> = { [ownHeader]: randomUUID() };

/** Whether the gateway makes the request to itself, for a tool. */
export const isOwnRequest = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers[ownHeader] === ownRequest[ownHeader];

/** The context of a request that a caller made. */
export function contextOf(request: EdgeRequest, timeoutMs: number, more: Partial<Context> = {}): Context {
  const { token, session, http, browser } = request;
  const caller: Caller = {
    accountId: accountIdOf(request),
    ...(token && { tokenId: token.tokenId, tokenName: token.name }),
    ...(session && { sessionId: session.sessionId }),
    ...(session?.operator && request.row.operatorsOnly && { operator: true }),
    ip: http.ip,
    ...(browser !== undefined && { browser }),
    ...(isOwnRequest(http) && { through: 'mcp' }),
    ...(isAudited(request) && { origin: originOf(http) }),
  };
  return {
    commandId: randomUUID(),
    correlationId: request.requestId,
    caller,
    deadline: Date.now() + timeoutMs,
    traceparent: traceOf(http),
    ...(request.readsNewest && { newest: true }),
    ...more,
  };
}

/** The context of the gateway's own calls, such as to identify the caller of a request. */
export const systemContext = (process: string, timeoutMs: number, http?: FastifyRequest): Context => ({
  commandId: randomUUID(),
  correlationId: http?.id ?? randomUUID(),
  ...(http && { traceparent: traceOf(http) }),
  caller: { accountId: '', process },
  deadline: Date.now() + timeoutMs,
});

const isAudited = ({ row, http }: EdgeRequest): boolean =>
  row.audited === true || (row.auditedWith !== undefined && gives(http, row.auditedWith));
