import { httpRequests, httpSeconds } from '@carillon/metrics';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccessGuard } from '../access/access.guard';
import type { ApiError } from '../errors/api-error';
import { textOf, toApiError, tooLarge } from '../errors/error-filter';
import { ownRequest } from '../request/context';
import type { EdgeRequest, HttpRequest, Row } from '../request/row';
import { RouteExecutor } from '../table/table.controller';
import type { RouteRequest } from './route-request';
import type { Given, RouteAnswer } from './tool';

const longestBody = 65_536;

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
    delete asking.count;
    const began = performance.now();
    // It has the caller, the address, the id and the trace of the request that it is a part of.
    const http = Object.create(of, {
      headers: { value: { ...headers, ...ownRequest, 'user-agent': userAgent } },
      params: { value: params },
      query: { value: query },
      body: { value: body },
    }) as HttpRequest;
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
