import { finished } from 'node:stream';
import { setting } from '@carillon/runtime';
import { Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { AccessGuard } from '../access/access.guard';
import { insufficientScope } from '../errors/challenge';
import { ApiError, invalid } from '../errors/api-error';
import { jsonType } from '../errors/error-filter';
import { mcpPath, metadataOf } from '../oauth/protected-resource';
import { Carries } from '../request/carries';
import { allowedOrigins } from '../request/host';
import { refuseEncoded } from '../request/input';
import { edgeOf, type EdgeRequest, type HttpRequest, type Row } from '../request/row';
import { McpService } from './mcp.service';
import { calledTool, messageOf } from './messages';
import { lacks, toolNamed } from './tools';

export const mcpRow: Row = {
  method: 'POST',
  path: mcpPath,
  access: 'token',
  scopes: [],
  maxBodyBytes: 1_048_576,
  // A tool that can be called is counted as the route that it requests; the endpoint counts a call that requests none.
  counts: ({ http, token }) => {
    const tool = toolNamed(calledTool(messageOf(http)));
    return !tool || lacks(tool, token?.scopes ?? []);
  },
};

const isStream = (answer: Response | string): boolean =>
  typeof answer !== 'string' && answer.headers.get('content-type')?.startsWith('text/event-stream') === true;

/** The endpoint of the Model Context Protocol: Streamable HTTP, with nothing kept between requests. */
@Controller()
export class McpController {
  private readonly isAllowed = allowedOrigins(setting('HOST', '127.0.0.1'), setting('CARILLON_BASE_URL'));

  constructor(
    @Inject(McpService) private readonly mcp: McpService,
    @Inject(AccessGuard) private readonly guard: Pick<AccessGuard, 'count'>,
  ) {}

  @Post(mcpRow.path)
  @Carries(mcpRow)
  async serve(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const request = edgeOf(http);
    const answering = this.answer(request);
    // A call that has requested no route counts by itself. A stream has its status before the call is done.
    if (await answering.then(isStream, () => false)) {
      finished(reply.raw, () => void this.guard.count(request).catch(() => {}));
      await reply.send(await answering);
      return;
    }
    await this.guard.count(request);
    const answer = await answering;
    // Not awaited: a reply is a thenable that waits for the end of its response, which nothing here needs.
    if (typeof answer === 'string') void reply.type(jsonType).send(answer);
    else
      void reply
        .status(answer.status)
        .headers(Object.fromEntries(answer.headers))
        .send(await answer.text());
  }

  private async answer(request: EdgeRequest): Promise<Response | string> {
    const { http } = request;
    const { origin } = http.headers;
    if (origin !== undefined && !this.isAllowed(origin))
      throw new ApiError(403, 'ORIGIN_REJECTED', 'The request came from another site.');
    refuseEncoded(http);
    const body = messageOf(http);
    if (Array.isArray(body)) throw invalid('', 'must be one message', 'invalid_type');
    const tool = toolNamed(calledTool(body));
    if (tool && lacks(tool, request.token?.scopes ?? []))
      throw insufficientScope(tool.scopes, metadataOf(mcpRow.path));
    return this.mcp.serve(request, body);
  }
}
