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
 * While traces are on: starts the span of a request, which ends when its response closes for any reason. Health checks
 * are not traced.
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

/** A trace without a span that is recorded. From a UUID, since Node caches their random bytes. */
function newTrace(): string {
  const digits = randomUUID().replaceAll('-', '');
  return `00-${digits}-${digits.slice(16)}-00`;
}

/** The `traceparent` of calls for a request: of its span, else the caller's, else a new one. */
export function traceOf(request: FastifyRequest): string {
  const given = request.headers['traceparent'];
  return (request[current] ??= isTraceparent(given) ? given : newTrace());
}
