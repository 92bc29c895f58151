import { httpRequests, httpSeconds } from '@carillon/metrics';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccessGuard } from '../access/access.guard';
import type { ApiError } from '../errors/api-error';
import { textOf, toApiError, tooLarge } from '../errors/error-filter';
import { ownRequest } from '../request/context';
import type { EdgeRequest, HttpRequest, Row } from '../request/row';
import { traceOf } from '../trace/trace';
import { RouteExecutor } from '../table/table.controller';
import type { RouteRequest } from './route-request';
import type { Given, RouteAnswer } from './tool';

const longestBody = 65_536;

type Asked = Pick<HttpRequest, 'headers' | 'params' | 'query' | 'body'>;

/**
 * What a row and the limits read of a request. It has the caller, the address and the id of the request that it is a
 * part of, but does not inherit from it: V8 gives an object that others inherit from a shape of its own, which took a
 * fifth of a call.
 */
class RouteHttp implements Asked {
  readonly headers: HttpRequest['headers'];
  readonly params: HttpRequest['params'];
  readonly query: HttpRequest['query'];
  readonly body: HttpRequest['body'];

  constructor(
    private readonly of: HttpRequest,
    { headers, params, query, body }: Asked,
  ) {
    this.headers = headers;
    this.params = params;
    this.query = query;
    this.body = body;
  }

  get id(): string {
    return this.of.id;
  }

  get ip(): string {
    return this.of.ip;
  }

  get host(): string {
    return this.of.host;
  }

  get method(): string {
    return this.of.method;
  }

  get url(): string {
    return this.of.url;
  }

  get originalUrl(): string {
    return this.of.originalUrl;
  }

  get cookies(): HttpRequest['cookies'] {
    return this.of.cookies;
  }

  get raw(): HttpRequest['raw'] {
    return this.of.raw;
  }

  get routeOptions(): HttpRequest['routeOptions'] {
    return this.of.routeOptions;
  }
}

/** What a row and the limits do to a reply. A tool has no use for the headers of its route. */
class RouteReply {
  statusCode = 200;

  constructor(readonly request: HttpRequest) {}

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  header(): this {
    return this;
  }

  headers(): this {
    return this;
  }

  type(): this {
    return this;
  }
}

/**
 * Requests a row of the table for a tool, with the caller of the tool: through the limits, scopes, checks and refusals
 * of the row, but not once more through HTTP and the frameworks, which cost as much as a cheap route.
 */
@Injectable()
export class RouteCalls {
  constructor(
    @Inject(AccessGuard) private readonly guard: Pick<AccessGuard, 'admit'>,
    @Inject(RouteExecutor) private readonly executor: Pick<RouteExecutor, 'serve'>,
  ) {}

  async answer(
    asking: EdgeRequest,
    row: Row,
    { headers, params, query, payload }: RouteRequest,
    userAgent: string,
  ): Promise<RouteAnswer> {
    const { http: of, requestId, token } = asking;
    const limit = row.maxBodyBytes ?? longestBody;
    const body = payload === undefined ? undefined : Buffer.from(payload);
    if (body && body.length > limit) return answerOf(tooLarge(limit), requestId);
    // From here on the call counts as the request of its route.
    asking.isUncounted = false;
    const began = performance.now();
    const asked = { ...headers, ...ownRequest, 'user-agent': userAgent, traceparent: traceOf(of) };
    const http = new RouteHttp(of, { headers: asked, params, query, body }) as unknown as HttpRequest;
    const reply = new RouteReply(http);
    const request: EdgeRequest = {
      ...{ http, requestId, row, byCookie: false },
      reply: reply as unknown as FastifyReply,
      ...(token && { token }),
    };
    const answer = await this.served(request, reply);
    const { method, path: route } = row;
    httpRequests.inc({ method, route, status: answer.status });
    httpSeconds.observe({ method, route }, (performance.now() - began) / 1_000);
    return answer;
  }

  private async served(request: EdgeRequest, reply: RouteReply): Promise<RouteAnswer> {
    try {
      await this.guard.admit(request);
      const value = await this.executor.serve(request);
      // A service's answer may be text that nobody had to parse.
      return {
        status: reply.statusCode,
        body: (typeof value === 'string' ? JSON.parse(value) : value) as Given,
      };
    } catch (error) {
      return answerOf(toApiError(error, request.http), request.requestId);
    }
  }
}

const answerOf = (error: ApiError, requestId: string): RouteAnswer => ({
  status: error.status,
  body: JSON.parse(textOf(error, requestId)) as Given,
});
