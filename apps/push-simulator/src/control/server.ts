import type { IncomingMessage, Server } from 'node:http';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Exchange } from '../exchange.js';
import { codeOf, messageOf } from '../failure.js';
import { number, object, text } from '../json.js';
import { activityRoutes } from './activity-routes.js';
import { clockRoutes } from './clock-routes.js';
import { faultRoutes } from './fault-routes.js';
import type { Browsers } from '../web/browsers.js';
import { refusalOf } from './own-site.js';
import { pageRoutes } from './page-routes.js';
import { phoneRoutes } from './phone-routes.js';
import { BadInput, Problem } from './problem.js';
import { recordRoutes } from './record-routes.js';
import { behindSecret } from './secret.js';
import { sessionRoutes } from './session-routes.js';

const bodyLimit = 65_536;
/** No part of a path is too long to be looked up: Node takes no more than this of a request's head. */
const maxParamLength = 16_384;

/** Where real browsers connect to, as the server of their pushes. */
const browsersPath = '/browsers';
/** For a probe that knows nothing of this simulator. */
const openPath = '/healthz';

/**
 * The control API and its page, plain HTTP, behind a secret: other users of this machine reach the port too. It is
 * ready when it is returned, and does not listen yet.
 */
export async function controlServer(
  exchange: Exchange,
  browsers: Browsers,
  secret: string,
  about: () => Record<string, unknown>,
): Promise<Server> {
  const answerProblem = (error: unknown, reply: FastifyReply) => {
    const problem = problemOf(error);
    if (!problem)
      exchange.log({ msg: 'control request failed', error: text(object(error)?.stack) ?? String(error) });
    return reply.code(problem?.status ?? 500).send(problem?.body ?? { error: 'internal error' });
  };
  const proved = new WeakSet<IncomingMessage>();
  const refusal = (request: FastifyRequest): Problem | undefined => {
    const refused = siteRefusal(request);
    if (refused || proved.has(request.raw) || request.originalUrl === openPath) return refused;
    return new Problem(401, { error: 'the path begins with the secret of this simulator: follow its link' });
  };
  const app = Fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength },
    rewriteUrl: (request) => {
      const url = request.url ?? '/';
      const rest = behindSecret(secret, url);
      if (rest === undefined) return url;
      proved.add(request);
      return rest.startsWith('/') ? rest : `/${rest}`;
    },
    // A path that cannot be decoded comes here, past the hooks.
    frameworkErrors: (error, request, reply) => {
      reply.header('cache-control', 'no-store');
      answerProblem(refusal(request) ?? error, reply);
    },
  });
  // A body stays text until its route reads it: what a path names is looked up before its body is judged.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, _request, reply) => answerProblem(error, reply));
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    const refused = refusal(request);
    if (refused) throw refused;
    // What the page names is beside it.
    if (request.originalUrl === `/${secret}`) return reply.redirect(`/${secret}/`);
    if (request.is404) throw new Problem(404, { error: `no route ${pathOf(request)}` });
  });
  app.register(async (page) => pageRoutes(page));
  app.register(async (api) => {
    const refuseOtherMethods = followMethods(api);
    // Whoever looks finds the phones as old as they are.
    api.addHook('preHandler', async () => exchange.age());
    api.get('/healthz', () => ({ status: 'ok' }));
    api.get('/about', () => about());
    clockRoutes(api, exchange);
    phoneRoutes(api, exchange);
    sessionRoutes(api, exchange);
    activityRoutes(api, exchange);
    faultRoutes(api, exchange);
    recordRoutes(api, exchange);
    refuseOtherMethods();
  });
  await app.ready();
  app.server.on('upgrade', (request, socket, head) => {
    // Whoever knows the secret is no page of another site: these alone are what an origin would tell apart.
    if (behindSecret(secret, request.url ?? '') === browsersPath) browsers.connect(request, socket, head);
    else socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  return app.server;
}

function siteRefusal(request: FastifyRequest): Problem | undefined {
  const { method, headers, socket } = request.raw;
  const { localAddress, localPort } = socket;
  const refused = refusalOf({ method, headers, localAddress, localPort });
  return refused && new Problem(refused.status, { error: refused.error });
}

/** Undefined for what nobody foresaw. */
function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  const statusCode = number(object(error)?.statusCode);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Problem(413, { error: `a body has at most ${bodyLimit} bytes` });
  if (code === 'FST_ERR_BAD_URL') return new BadInput('the path is not well encoded');
  // What Fastify itself finds wrong with a request.
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new Problem(statusCode, { error: messageOf(error) })
    : undefined;
}

/** Follows which methods the paths of this scope take; the function it gives answers 405 to all others. */
function followMethods(scope: FastifyInstance): () => void {
  const taken = new Map<string, string[]>();
  scope.addHook('onRoute', ({ url, method }) => {
    taken.set(url, [...(taken.get(url) ?? []), method].flat());
  });
  const wrongMethod = async (request: FastifyRequest): Promise<never> => {
    throw new Problem(405, { error: `${pathOf(request)} takes no ${request.method}` });
  };
  return () => {
    for (const [url, methods] of [...taken])
      scope.route({
        url,
        method: scope.supportedMethods.filter((method) => !methods.includes(method)),
        // Before the body is read: nothing is to be done with it.
        onRequest: wrongMethod,
        handler: wrongMethod,
      });
  };
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?')[0]!;
