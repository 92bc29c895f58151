import { randomUUID } from 'node:crypto';
import type { Caller, Context } from '@carillon/bus';
import { carried, isTraceparent } from '@carillon/tracing';
import type { FastifyRequest } from 'fastify';
import { accountIdOf, type EdgeRequest } from './edge-request';
import { originOf } from './origin';
import { traceOf } from './trace';

/** 32 of them; Node keeps randomness for ids in stock, so that this is cheap. */
const hexDigits = (): string => randomUUID().replaceAll('-', '');

/** The context of a request that a caller made. */
export function contextOf(request: EdgeRequest, timeoutMs: number, more: Partial<Context> = {}): Context {
  const { token, session, http, row } = request;
  const caller: Caller = {
    accountId: accountIdOf(request),
    ...(token && { tokenId: token.tokenId, tokenName: token.name }),
    ...(session && { sessionId: session.sessionId }),
    ip: http.ip,
    ...(row.audited && { origin: originOf(http) }),
  };
  const given = http.headers['traceparent'];
  return {
    commandId: randomUUID(),
    correlationId: request.requestId,
    caller,
    deadline: Date.now() + timeoutMs,
    traceparent:
      traceOf(http) ?? (isTraceparent(given) ? given : `00-${hexDigits()}-${hexDigits().slice(0, 16)}-00`),
    ...more,
  };
}

/** The context of what the gateway asks for itself, or to know who is behind a request. */
export const systemContext = (process: string, timeoutMs: number, http?: FastifyRequest): Context => ({
  commandId: randomUUID(),
  correlationId: http?.id ?? randomUUID(),
  ...carried(http && traceOf(http)),
  caller: { accountId: '', process },
  deadline: Date.now() + timeoutMs,
});
