import { beginTrace } from '@carillon/tracing';
import type { FastifyReply, FastifyRequest } from 'fastify';

const trace = Symbol('trace');

declare module 'fastify' {
  interface FastifyRequest {
    [trace]?: string;
  }
}

/**
 * Begins the span of a request, which ends with its answer, whoever ends that. Gives what follows from it as a
 * `traceparent`; undefined while traces are off. Nobody traces who asks whether we live.
 */
export function traced(request: FastifyRequest, reply: FastifyReply): string | undefined {
  const route = request.routeOptions.url;
  if (route === undefined || route.startsWith('/healthz/')) return undefined;
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
  if (!span) return undefined;
  reply.raw.once('close', () => {
    const { statusCode, writableFinished } = reply.raw;
    const error = !writableFinished ? 'client_gone' : statusCode >= 500 ? String(statusCode) : undefined;
    span.end({ 'http.response.status_code': statusCode }, error);
  });
  return (request[trace] = span.traceparent);
}

/** The trace that a request is in; undefined while traces are off. */
export const traceOf = (request: FastifyRequest): string | undefined => request[trace];
