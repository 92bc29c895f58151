import 'reflect-metadata';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { Bus } from '@carillon/bus';
import fastifyCookie from '@fastify/cookie';
import { Refused } from '@carillon/eventing';
import { atEachLook, httpRequests, httpSeconds, streamsOpen, waitsOpen } from '@carillon/metrics';
import { logger, NestLog, numberSetting, setting } from '@carillon/runtime';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors/api-error';
import { fromRefusal } from './errors/refusals';
import { sendError, toApiError } from './errors/error-filter';
import { servedHosts } from './request/host';
import { answerUnparsed } from './request/unparsed';
import { GatewayModule, rows } from './gateway.module';
import { HealthController } from './health.controller';
import { requestIdOf, standardHeaders } from './request/request-id';
import { refuseHandlersWithoutRow } from './table/closed';
import { Streams } from './stream/streams';
import { decodable, methodsAt } from './table/paths';
import { trace } from './trace/trace';
import { Waits } from './wait/waits';

export interface RunningGateway {
  readonly url: string;
  /** True while NATS answers it; whether the services do is what `/healthz/ready` says. */
  isConnected(): Promise<boolean>;
  /** Answers not-ready, lets what is under way finish, then closes. */
  close(): Promise<void>;
}

/** Starts the HTTP edge on `PORT` (0: any free one) of `HOST`. */
export async function startGateway(): Promise<RunningGateway> {
  const adapter = new FastifyAdapter({
    bodyLimit: 65_536,
    // Longer than any path can be: what is too long for an id is refused after the access guard, like any other.
    routerOptions: { maxParamLength: 65_536 },
    exposeHeadRoutes: false,
    trustProxy: setting('CARILLON_TRUSTED_PROXIES', '') || false,
    requestTimeout: 60_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    // Fastify would answer in a form of its own what comes on an open connection while it stops.
    return503OnClosing: false,
    genReqId: ({ headers }: Pick<IncomingMessage, 'headers'>) => requestIdOf(headers['x-request-id']),
    rewriteUrl: ({ url = '/' }: IncomingMessage) => decodable(url),
    // Node would answer a request without one itself, in a form of its own.
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
  const underAnotherName = ({ headers }: FastifyRequest): ApiError | undefined =>
    headers.host === undefined || isServed(headers.host)
      ? undefined
      : new ApiError(404, 'ROUTE_NOT_FOUND', 'Nothing is served under this name.');
  await app.register(fastifyCookie);
  // Bodies stay bytes until the caller is known to be allowed to send them.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.headers(standardHeaders(request.id));
    const { draining } = app.get(HealthController);
    const wrong =
      (draining ? tooLate(request) : undefined) ??
      withoutHost(request) ??
      underAnotherName(request) ??
      trailingSlash(request) ??
      wrongMethod(request);
    if (wrong) {
      sendError(reply, wrong);
      return;
    }
    makeTypeReadable(request);
    trace(request, reply);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    count(request, reply);
    done();
  });
  // Who expects what nobody here knows is served all the same, as RFC 9110 allows.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  const silent = silentConnections(fastify.server);
  await app.init();
  refuseHandlersWithoutRow(app, app.get(Reflector));
  await app.listen(numberSetting('PORT', 8080), host);
  const stopMeasuring = atEachLook(() => {
    waitsOpen.inc(app.get(Waits).size);
    streamsOpen.inc(app.get(Streams).size);
  });
  return {
    url: await app.getUrl(),
    isConnected: () => app.get(Bus).alive(),
    close: async () => {
      stopMeasuring();
      app.get(HealthController).draining = true;
      // Nobody waits for a request that may never come: browsers connect ahead of their need.
      // Nor for the next one on a connection that became idle only now: its client would keep it as long as it may.
      const hush = setInterval(() => {
        silent.forEach((socket) => socket.destroy());
        fastify.server.closeIdleConnections();
      }, 100);
      await app.close().finally(() => clearInterval(hush));
    },
  };
}

/** Connections that have not asked for anything yet; a server that closes does not take them for idle. */
function silentConnections(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  return silent;
}

/** A path is told as its route is registered, so that made-up ones make no new label. */
function count(request: FastifyRequest, reply: FastifyReply): void {
  const isRoute = !request.is404 && request.routeOptions.url !== undefined;
  const route = isRoute ? (request.routeOptions.url as string) : 'none';
  const method = isRoute ? request.method : 'any';
  httpRequests.inc({ method, route, status: reply.statusCode });
  httpSeconds.observe({ method, route }, reply.elapsedTime / 1_000);
}

const known = methodsAt(rows);

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0] ?? '';

function withoutHost({ raw }: FastifyRequest): ApiError | undefined {
  if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined;
  return new ApiError(400, 'VALIDATION_FAILED', 'The request must have a Host header.');
}

/** Whoever asks a gateway that stops asks another one next; whether it lives is told to the end. */
function tooLate(request: FastifyRequest): ApiError | undefined {
  if (pathOf(request).startsWith('/healthz/')) return undefined;
  return fromRefusal(new Refused('bus.unavailable'));
}

/** An empty last part is no id: such a path is none of ours. */
function trailingSlash(request: FastifyRequest): ApiError | undefined {
  const path = pathOf(request);
  if (!path.endsWith('/') || path === '/') return undefined;
  return new ApiError(404, 'ROUTE_NOT_FOUND', 'There is no such route.');
}

const mediaTypeForm = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;.*)?$/;

/**
 * Fastify would refuse a type that is none before the caller is known; what such a body is called is for whoever reads
 * it to refuse.
 */
function makeTypeReadable({ raw: { headers } }: FastifyRequest): void {
  const type = headers['content-type'];
  if (type !== undefined && !mediaTypeForm.test(type)) headers['content-type'] = 'application/octet-stream';
}

/** A path that exists, asked for with a method that it does not have. */
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
