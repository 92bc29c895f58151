import { randomUUID } from 'node:crypto';
import { beginTrace, isRecorded, isTraceparent } from '@carillon/tracing';
import type { FastifyReply, FastifyRequest } from 'fastify';

const current = Symbol('trace');

declare module 'fastify' {
  interface FastifyRequest {
    [current]?: string;
  }
}

/**
 * While traces are on: begins the span of a request, which ends with its answer, whoever ends that. Nobody traces who
 * asks whether we live.
 */
export function trace(request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url;
  if (route === undefined || route.startsWith('/healthz/')) return;
  const { method } = request;
  const span = beginTrace(request.headers['traceparent'], {
    name: `${method} ${route}`,
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': request.protocol,
      'carillon.request.id': request.id,
    },
  });
  if (!span) return;
  request[current] = span.traceparent;
  if (!isRecorded(span.traceparent)) return;
  reply.raw.once('close', () => {
    const { statusCode, writableFinished } = reply.raw;
    const error = !writableFinished ? 'client_gone' : statusCode >= 500 ? String(statusCode) : undefined;
    span.end({ 'http.response.status_code': statusCode }, error);
  });
}

/** 32 of them; Node keeps randomness for ids in stock, so that this is cheap. */
const hexDigits = (): string => randomUUID().replaceAll('-', '');

/** The `traceparent` of what follows from a request: of its span, else as its caller has given it, else one of its own. */
export function traceOf(request: FastifyRequest): string {
  const given = request.headers['traceparent'];
  return (request[current] ??= isTraceparent(given)
    ? given
    : `00-${hexDigits()}-${hexDigits().slice(0, 16)}-00`);
}
