import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCookie from '@fastify/cookie';
import { logger, NestLog, numberSetting, setting } from '@carillon/service';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors/api-error';
import { sendError, toApiError } from './errors/error-filter';
import { GatewayModule, rows } from './gateway.module';
import { HealthController } from './health.controller';
import { refuseHandlersWithoutRow } from './table/closed';
import { methodsAt } from './table/paths';

export interface RunningGateway {
  readonly url: string;
  /** Answers not-ready, lets what is under way finish, then closes. */
  close(): Promise<void>;
}

const requestIdForm = /^[A-Za-z0-9._-]{8,64}$/;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: sorts by time, safe in any header or log. */
function ulid(): string {
  let time = Date.now();
  let text = '';
  for (let index = 0; index < 10; index += 1) {
    text = alphabet.charAt(time % 32) + text;
    time = Math.floor(time / 32);
  }
  for (const byte of randomBytes(16)) text += alphabet.charAt(byte & 31);
  return text;
}

/** Starts the HTTP edge on `PORT` (0: any free one) of `HOST`. */
export async function startGateway(): Promise<RunningGateway> {
  const adapter = new FastifyAdapter({
    bodyLimit: 65_536,
    routerOptions: { maxParamLength: 4_096 },
    exposeHeadRoutes: false,
    trustProxy: setting('CARILLON_TRUSTED_PROXIES', '') || false,
    requestTimeout: 60_000,
    keepAliveTimeout: 75_000,
    forceCloseConnections: 'idle',
    genReqId: ({ headers }: { headers: Record<string, string | string[] | undefined> }) => {
      const given = headers['x-request-id'];
      return typeof given === 'string' && requestIdForm.test(given) ? given : ulid();
    },
    // A path that cannot be decoded is an id that cannot be.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      standardHeaders(request, reply);
      sendError(reply, toApiError(error, request));
    },
  } as never);
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule, adapter, {
    logger: new NestLog(logger('gateway')),
    abortOnError: false,
    bodyParser: false,
  });
  const fastify = app.getHttpAdapter().getInstance();
  await app.register(fastifyCookie as never);
  // Bodies stay bytes until the caller is known to be allowed to send them.
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  fastify.addHook('onRequest', (request, reply, done) => {
    standardHeaders(request, reply);
    const wrong = wrongMethod(request);
    if (wrong) sendError(reply, wrong);
    else done();
  });
  const silent = silentConnections(fastify.server);
  await app.init();
  refuseHandlersWithoutRow(app, app.get(Reflector));
  await app.listen(numberSetting('PORT', 8080), setting('HOST', '127.0.0.1'));
  return {
    url: await app.getUrl(),
    close: async () => {
      app.get(HealthController).draining = true;
      // Nobody waits for a request that may never come: browsers connect ahead of their need.
      const hush = setInterval(() => silent.forEach((socket) => socket.destroy()), 100);
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

function standardHeaders(request: FastifyRequest, reply: FastifyReply): void {
  void reply.headers({
    'x-request-id': request.id,
    'agent-api-version': '1.0.0',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
}

const known = methodsAt(rows);

/** A path that exists, asked for with a method that it does not have. */
function wrongMethod(request: FastifyRequest): ApiError | undefined {
  if (!request.is404) return undefined;
  const methods = known((request.url.split('?')[0] ?? '').toString());
  if (methods.length === 0) return undefined;
  return new ApiError(
    405,
    'METHOD_NOT_ALLOWED',
    'The route does not have this method.',
    {},
    { allow: methods.join(', ') },
  );
}
