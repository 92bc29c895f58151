import 'reflect-metadata';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Bus } from '@carillon/bus';
import fastifyCookie from '@fastify/cookie';
import { Refused } from '@carillon/eventing';
import { atEachLook, httpRequests, httpSeconds, streamsOpen, waitsOpen } from '@carillon/metrics';
import {
  listenOnSecondLoopback,
  logger,
  NestLog,
  numberSetting,
  portRange,
  setting,
} from '@carillon/runtime';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Cells } from './cell/cells';
import { docsHome } from './docs/docs.controller';
import { ApiError, noRoute } from './errors/api-error';
import { fromRefusal } from './errors/refusals';
import { sendError, toApiError } from './errors/error-filter';
import { forEverySite, isForEverySite, preflight } from './oauth/cross-origin';
import { mcpPath } from './oauth/protected-resource';
import { servedHosts } from './request/host';
import { answerUnparsed } from './request/unparsed';
import { GatewayModule, rows } from './gateway.module';
import { HealthController } from './health.controller';
import { requestIdOf, standardHeaders } from './request/request-id';
import { HookController, hookRow } from './hook/hook.controller';
import type { HttpRequest } from './request/row';
import { refuseHandlersWithoutRow } from './table/closed';
import { Capacity } from './rate/capacity';
import { streamRow } from './stream/stream.controller';
import { Streams } from './stream/streams';
import { decodable, methodsAt } from './table/paths';
import { trace } from './trace/trace';
import { waitRow } from './wait/wait.controller';
import { messagesRow } from './wait/messages.controller';
import { Waits } from './wait/waits';

export interface RunningGateway {
  readonly url: string;
  /** True while NATS answers; `/healthz/ready` tells whether the services do. */
  isConnected(): Promise<boolean>;
  /** Becomes not ready, finishes open requests, then closes. */
  close(): Promise<void>;
}

/** Starts the HTTP edge on `PORT` (0: any free one) of `HOST`. */
export async function startGateway(): Promise<RunningGateway> {
  const adapter = new FastifyAdapter({
    bodyLimit: 65_536,
    // Longer than any path can be: an id that is too long is refused after the access guard, like any unknown id.
    routerOptions: { maxParamLength: 65_536 },
    exposeHeadRoutes: false,
    trustProxy: setting('CARILLON_TRUSTED_PROXIES', '') || false,
    requestTimeout: 60_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    // Otherwise Fastify, while it stops, answers requests on open connections in its own form.
    return503OnClosing: false,
    genReqId: ({ headers }: Pick<IncomingMessage, 'headers'>) => requestIdOf(headers['x-request-id']),
    rewriteUrl: ({ url = '/' }: IncomingMessage) => decodable(url),
    // Otherwise Node answers a request without a Host header in its own form.
    http: { requireHostHeader: false },
    clientErrorHandler: answerUnparsed,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      void reply.headers(standardHeaders(request.id));
      sendError(reply, toApiError(error, request));
    },
  } as never);
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule, adapter, {
    logger: new NestLog(logger('gateway')),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  const host = setting('HOST', '127.0.0.1');
  const isServed = servedHosts(host, setting('CARILLON_BASE_URL'));
  const underAnotherName = (request: FastifyRequest): ApiError | undefined => {
    const { host: name } = request.headers;
    if (name === undefined || isServed(name)) return undefined;
    return pathOf(request) === mcpPath
      ? new ApiError(403, 'ORIGIN_REJECTED', 'The request came under another name.')
      : new ApiError(404, 'ROUTE_NOT_FOUND', 'Nothing is served under this name.');
  };
  await app.register(fastifyCookie);
  // Bodies stay bytes until the caller has been authorized.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(standardHeaders(request.id));
    const path = pathOf(request);
    if (isForEverySite(path)) void reply.headers(forEverySite);
    const { draining } = app.get(HealthController);
    const wrong =
      (draining ? tooLate(request) : undefined) ??
      withoutHost(request) ??
      underAnotherName(request) ??
      trailingSlash(request) ??
      (isPreflight(request) ? undefined : wrongMethod(request));
    if (wrong) {
      sendError(reply, wrong);
      return;
    }
    if (isPreflight(request)) {
      void reply.status(204).headers(preflight(path)).send();
      return;
    }
    makeTypeReadable(request);
    trace(request, reply);
    done();
  });
  const cells = new Cells(setting('CARILLON_BASE_URL'), rows, app.get(Capacity));
  fastify.addHook('preValidation', (request, reply, done) => {
    if (!cells.leads(request, reply)) done();
  });
  // Its body is not read, so that no controller comes to see it.
  fastify.addHook('onError', (request, _reply, error, done) => {
    if (request.routeOptions.url === hookRow.path && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
      void app.get(HookController).noteTooLarge(request as HttpRequest);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    count(request, reply);
    done();
  });
  // A request with an unknown `Expect` header is served anyway, as RFC 9110 allows.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  fastify.addHook('onRoute', (route) => {
    const limit = bodyLimits.get(route.url);
    if (limit !== undefined) route.bodyLimit = limit;
  });
  const silent = silentConnections(fastify.server);
  await app.init();
  refuseHandlersWithoutRow(app, app.get(Reflector));
  await app.listen(numberSetting('PORT', 8080, portRange), host);
  const closeSecond =
    host === '127.0.0.1' ? await listenOnSecondLoopback(fastify.server, logger('gateway')) : () => undefined;
  const stopMeasuring = atEachLook(() => {
    waitsOpen.inc(app.get(Waits).size + cells.size(waitRow.path) + cells.size(messagesRow.path));
    streamsOpen.inc(app.get(Streams).size + cells.size(streamRow.path));
  });
  return {
    url: await app.getUrl(),
    isConnected: () => app.get(Bus).alive(),
    close: async () => {
      stopMeasuring();
      app.get(HealthController).draining = true;
      cells.endHeld();
      // The close does not wait for connections without a request, since browsers open them in advance,
      // nor for connections that became idle during it, since their clients keep them open until the timeout.
      const hush = setInterval(() => {
        silent.forEach((socket) => socket.destroy());
        fastify.server.closeIdleConnections();
      }, 100);
      await Promise.all([app.close(), closeSecond()]).finally(() => clearInterval(hush));
      await cells.close();
    },
  };
}

/** Connections without a request so far; `closeIdleConnections` does not close them. */
function silentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  return silent;
}

/** The label is the registered route, not the path, so that invented paths make no new labels. */
function count(request: FastifyRequest, reply: FastifyReply): void {
  const isRoute = !request.is404 && request.routeOptions.url !== undefined;
  const route = isRoute ? (request.routeOptions.url as string) : 'none';
  const method = isRoute ? request.method : 'any';
  httpRequests.inc({ method, route, status: reply.statusCode });
  httpSeconds.observe({ method, route }, reply.elapsedTime / 1_000);
}

const known = methodsAt(rows);
const bodyLimits = new Map(
  rows.flatMap(({ path, maxBodyBytes }) => (maxBodyBytes === undefined ? [] : [[path, maxBodyBytes]])),
);

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

function withoutHost({ raw }: FastifyRequest): ApiError | undefined {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined;
  return new ApiError(400, 'VALIDATION_FAILED', 'The request must have a Host header.');
}

/** A stopping gateway refuses requests so that clients retry elsewhere; health routes are answered to the end. */
function tooLate(request: FastifyRequest): ApiError | undefined {
  if (pathOf(request).startsWith('/healthz/')) return undefined;
  return fromRefusal(new Refused('bus.unavailable'));
}

/** An empty last segment is no id, so a path with a trailing slash has no route. A page of the console may have one. */
function trailingSlash(request: FastifyRequest): ApiError | undefined {
  const path = pathOf(request);
  if (!path.endsWith('/') || path === '/' || path === docsHome || path.startsWith('/console/'))
    return undefined;
  return noRoute();
}

const mediaTypeForm = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/;

/**
 * Fastify would refuse a malformed content type before the caller is identified. With a generic type, the reader of
 * the body refuses it later.
 */
function makeTypeReadable({ raw: { headers } }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type !== undefined && !mediaTypeForm.test(type)) headers['content-type'] = 'application/octet-stream';
}

const isPreflight = (request: FastifyRequest): boolean =>
  request.method === 'OPTIONS' && isForEverySite(pathOf(request));

/** 405 for a path that exists, but not with this method. */
function wrongMethod(request: FastifyRequest): ApiError | undefined {
  if (!request.is404) return undefined;
  const methods = known(pathOf(request));
  if (methods.length === 0) return undefined;
  return new ApiError(
    405,
    'METHOD_NOT_ALLOWED',
    'The route does not have this method.',
    {},
    { allow: methods.join(', ') },
  );
}
