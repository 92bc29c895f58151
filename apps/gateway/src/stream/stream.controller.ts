import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { edgeOf, type Row } from '../request/row';
import { readRequest } from '../request/input';
import { Carries } from '../request/carries';
import { Streams } from './streams';

export const streamRow: Row = {
  method: 'GET',
  path: '/api/session/stream',
  access: 'session',
  scopes: [],
  media: 'text/event-stream',
  errors: [[429, 'TOO_MANY_WAITS', 'The account has as many streams open as it may have.']],
};

/** Server-sent events for the console and the app: ids of changed resources, which the client then reads by itself. */
@Controller()
export class StreamController {
  constructor(@Inject(Streams) private readonly streams: Streams) {}

  @Get(streamRow.path)
  @Carries(streamRow)
  async stream(@Req() http: FastifyRequest, @Res() _reply: FastifyReply): Promise<void> {
    const request = edgeOf(http);
    readRequest(request);
    await this.streams.serve(request);
  }
}
