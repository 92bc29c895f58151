import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import type { Assertions } from '../assertion/assertion';
import { deliveryAt } from '../callback/callback';
import type { Callbacks } from '../callback/callbacks.service';
import type { ServedConnector } from '../carillon/connector';
import { endedCookie, sessionCookie, sessionIn } from '../headers/cookies';
import * as refusals from '../refusal/refusal';
import { type RequestPath, readAddress } from '../routing/address';
import { takePass } from '../routing/pass';
import { type RoutedRequest, findRoute, pathAt, type Route } from '../routing/route';
import type { Targets } from '../routing/targets';
import { IndexedList } from '../session/indexed-list';
import { lookMs, type Sessions, type Vouched } from '../session/sessions.service';
import { networkOf } from '../session/network';
import type { GrantState } from '../session/grant-state';
import { Exchange } from './exchange';
import { Arrived, Forward } from './forward.client';
import type { ClientLimits } from './limits';

const keysAt = '/.well-known/carillon-gateway/jwks.json';
/** Below it is the name of the route whose cookie goes. */
const leaveAt = '/.well-known/carillon-gateway/leave/';

export interface GatewayParts {
  /** The Carillon URL where people open apps. */
  readonly carillonUrl: string;
  readonly connector: () => ServedConnector | undefined;
  readonly carillonAwaySeconds: () => number;
  readonly sessions: Sessions;
  readonly callbacks: Callbacks;
  readonly assertions: Assertions;
  readonly targets: Targets;
  readonly limits: ClientLimits;
  readonly log: Logger;
}

/** The listener: determines route and visitor of each request, and forwards it with access (ADR 39). */
export class Gateway {
  readonly server: Server;
  private readonly forward: Forward;
  private readonly exchanges = new IndexedList<Exchange>();
  private readonly looking = setInterval(() => this.look(), lookMs).unref();
  private stopping = false;

  constructor(private readonly parts: GatewayParts) {
    const { headersMs, requestMs } = parts.limits;
    this.server = createServer({
      IncomingMessage: Arrived,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: Math.min(5_000, headersMs),
      // Longer than tunnels keep idle connections, so that none is closed under a request.
      keepAliveTimeout: 120_000,
    });
    this.forward = new Forward(() => this.stopping, parts.targets, parts.log);
    this.server.on('request', (request, response) => this.begin(request, response, false));
    this.server.on('upgrade', (request: IncomingMessage, _socket: Socket, head: Buffer) =>
      this.begin(request, new ServerResponse(request), true, head),
    );
  }

  /** Accepts no new connections, waits for running exchanges, and ends the rest at the timeout. */
  async stop(): Promise<void> {
    this.stopping = true;
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const exchange of this.exchanges.all) if (exchange.endless) exchange.destroy();
    const late = setTimeout(() => {
      for (const exchange of this.exchanges.all) exchange.destroy();
      this.server.closeAllConnections();
    }, this.parts.limits.finishMs);
    await closed;
    clearTimeout(late);
    clearInterval(this.looking);
    this.forward.close();
  }

  private begin(request: IncomingMessage, response: ServerResponse, isUpgrade: boolean, head?: Buffer): void {
    const exchange = new Exchange(request, response, isUpgrade);
    exchange.after(this.exchanges.add(exchange));
    this.decide(exchange, head).catch((error: unknown) => {
      if (exchange.over) return;
      this.parts.log.error(
        { err: error, route: exchange.route },
        'A request failed unexpectedly: answered 502',
      );
      exchange.refuse(refusals.appDown);
    });
  }

  private async decide(exchange: Exchange, head: Buffer | undefined): Promise<void> {
    const { request, isUpgrade } = exchange;
    const { method = 'GET', url = '', headers } = request;
    if (isUpgrade && (method !== 'GET' || headers.upgrade?.toLowerCase() !== 'websocket'))
      return exchange.refuse(refusals.upgradeUnknown);
    if (!/^(chunked)?$/i.test(headers['transfer-encoding'] ?? ''))
      return exchange.refuse(refusals.codingUnknown);
    const address = readAddress(url);
    if ('why' in address) return exchange.refuse(refusals.unfitAddress(address.status, address.why));
    if (address.path === keysAt) return this.tellKeys(exchange);
    const connector = this.parts.connector();
    if (!connector) return exchange.refuse(refusals.carillonAway(this.parts.carillonAwaySeconds()));
    const deliveryId = deliveryAt(address.path);
    if (deliveryId !== undefined) return this.deliver(exchange, deliveryId, connector);
    if (address.path.startsWith(leaveAt)) return this.leave(exchange, address, connector);
    const found = findRoute(connector.routes, address);
    if (!found) return exchange.refuse(refusals.noRoute);
    exchange.route = found.route.name;

    const { pass, query } = takePass(address.query);
    if (pass !== undefined && method === 'GET' && !isUpgrade)
      return this.letIn(exchange, found.route, address, pass, query);
    const session = sessionIn(headers.cookie, found.route.name);
    if (session === undefined) {
      const open = connector.enabled && found.route.enabled !== false;
      return exchange.refuse(open ? refusals.sessionRequired(this.appAt(found.route)) : refusals.disabled);
    }
    const access = { route: found.route.name, method, path: address.path };
    const known = this.parts.sessions.state(found.route, session, access, networkIn(request));
    const state = known instanceof Promise ? await known : known;
    if (exchange.over) return;
    if (state.kind !== 'open') return this.refuse(exchange, found.route, state);
    this.pass(exchange, found, query, session, state.grant, head);
  }

  private pass(
    exchange: Exchange,
    { route, host, rest }: RoutedRequest,
    query: string,
    session: string,
    grant: Vouched,
    head: Buffer | undefined,
  ): void {
    const { openPerSession } = this.parts.limits;
    const held = { cut: (state: GrantState<Vouched>) => this.refuse(exchange, route, state) };
    const release = this.parts.sessions.hold(route, session, held, openPerSession);
    if (!release) return exchange.refuse(refusals.tooManyOpen(openPerSession));
    exchange.after(release);
    const { target, user, assertion } = grant;
    const sender = { host, identity: { user, assertion } };
    this.forward.pass(exchange, { target, path: pathAt(target, rest, query), sender }, head);
  }

  /**
   * Spends the pass of a link that somebody opened, and leads to the same address without it. Who is in stays in: the
   * link may be of somebody who wants them to go on in an account that is not theirs.
   */
  private async letIn(
    exchange: Exchange,
    route: Route,
    { path }: RequestPath,
    pass: string,
    query: string,
  ): Promise<void> {
    const access = { route: route.name, method: 'GET', path };
    const network = networkIn(exchange.request);
    const session = sessionIn(exchange.request.headers.cookie, route.name);
    const own =
      session === undefined ? undefined : await this.parts.sessions.state(route, session, access, network);
    if (exchange.over) return;
    // Before the pass is spent: while nobody can say whose the session is, it may be somebody's.
    if (own && own.kind !== 'open' && own.kind !== 'ended') return this.refuse(exchange, route, own);
    const state = await this.parts.sessions.redeem(route, pass, access, network);
    // A second slash at the front would name another host.
    const location = path.replace(/^\/+/, '/') + (query && `?${query}`);
    const onwards = { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    if (exchange.over) return;
    if (state.kind === 'open') {
      if (own?.kind === 'open' && own.grant.user.id !== state.grant.user.id)
        return exchange.refuse(
          refusals.otherPerson(this.appAt(route), leaveAt + encodeURIComponent(route.name)),
        );
      return exchange.answer(303, {
        ...onwards,
        'set-cookie': sessionCookie(route.name, state.grant.session),
      });
    }
    if (state.kind !== 'ended') return this.refuse(exchange, route, state);
    if (!own) return exchange.refuse(refusals.passInvalid(this.appAt(route)));
    // A visitor with a session may reuse a link: a reload, or the way back.
    if (own.kind === 'open') exchange.answer(303, onwards);
    else this.refuse(exchange, route, own);
  }

  /**
   * Clears the cookie, for documents of this host only: no other site can sign a visitor out, to sign them in again.
   */
  private leave(exchange: Exchange, { path }: RequestPath, connector: ServedConnector): void {
    const { method, headers } = exchange.request;
    if (method !== 'POST') return exchange.refuse(refusals.methodNotAllowed);
    const name = path.slice(leaveAt.length);
    const route = connector.routes.find((each) => encodeURIComponent(each.name) === name);
    if (!route) return exchange.refuse(refusals.noRoute);
    // Not `Origin`: that is `null` from a page that sends no referrer.
    if (headers['sec-fetch-site'] !== 'same-origin') return exchange.refuse(refusals.leaveElsewhere);
    exchange.refuse(refusals.left(this.appAt(route), endedCookie(route.name)));
  }

  private async deliver(exchange: Exchange, deliveryId: string, connector: ServedConnector): Promise<void> {
    const delivery = await this.parts.callbacks.take(exchange.request, deliveryId, connector);
    if (exchange.over) return;
    if ('code' in delivery) return exchange.refuse(delivery);
    const { route, host, target, path, body } = delivery;
    exchange.route = route.name;
    this.forward.pass(exchange, { target, path, body, sender: { host } });
  }

  private tellKeys(exchange: Exchange): void {
    if (!['GET', 'HEAD'].includes(exchange.request.method ?? ''))
      return exchange.refuse(refusals.methodNotAllowed);
    exchange.answer(
      200,
      { 'content-type': 'application/jwk-set+json', 'cache-control': 'max-age=60' },
      JSON.stringify(this.parts.assertions.keys),
    );
  }

  private refuse(exchange: Exchange, route: Route, state: GrantState<Vouched>): void {
    switch (state.kind) {
      case 'ended':
        return exchange.refuse(refusals.sessionEnded(this.appAt(route), endedCookie(route.name)));
      case 'disabled':
        return exchange.refuse(refusals.disabled);
      case 'no-route':
        return exchange.refuse(refusals.noRoute);
      case 'not-welcome':
        this.parts.log.error(
          { code: state.code },
          'Carillon rejected an access check: the request is refused',
        );
        return exchange.refuse(refusals.notWelcome);
      case 'busy':
        return exchange.refuse(refusals.busy(state.retryAfterSeconds));
      case 'away':
        return exchange.refuse(refusals.carillonAway(this.parts.carillonAwaySeconds()));
      case 'open':
        return;
      default:
        state satisfies never;
    }
  }

  private appAt({ appId }: Route): string {
    return appId ? `${this.parts.carillonUrl}/apps/${encodeURIComponent(appId)}` : this.parts.carillonUrl;
  }

  private look(): void {
    this.parts.sessions.look();
    const now = performance.now();
    for (const exchange of this.exchanges.all)
      if (exchange.isSilent(now, this.parts.limits.silentMs))
        exchange.refuse(exchange.waitsForApp ? refusals.appSlow : refusals.bodyStalled);
  }
}

/** Asked before the request is passed on, which gives it other headers. */
const networkIn = ({ socket, headers }: IncomingMessage): string =>
  networkOf(socket.remoteAddress, headers['x-forwarded-for']?.toString());
