import { Bus } from '@carillon/bus';
import { type Contract, type PulledMessages, type PullMessages, Webhooks } from '@carillon/contracts';
import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Carries } from '../request/carries';
import { contextOf } from '../request/context';
import { readRequest } from '../request/input';
import { Positions } from '../request/positions';
import { accountIdOf, edgeOf, type Row } from '../request/row';
import { tooManyWaits, Waits } from './waits';

export const messagesRow: Row = {
  method: 'GET',
  path: '/api/agent/webhooks/:id/messages',
  access: 'token',
  scopes: ['services:write'],
  contract: Webhooks.messages as Contract<unknown, unknown>,
  errors: [tooManyWaits],
};

const timeoutMs = 10_000;
/** A message whose signal was lost is noticed within this time. */
const againMs = 5_000;

/** The long poll for messages of a reply webhook. */
@Controller()
export class MessagesController {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Waits) private readonly waits: Waits,
    @Inject(Positions) private readonly positions: Positions,
  ) {}

  @Get(messagesRow.path)
  @Carries(messagesRow)
  async messages(@Req() http: FastifyRequest): Promise<PulledMessages> {
    const request = edgeOf(http);
    const { input, after: brought } = readRequest(request);
    const { timeoutSeconds = 25, ...wanted } = input as PullMessages;
    const accountId = accountIdOf(request);
    const position = this.positions.of(accountId, brought);
    const { seen } = await this.waits.serve<PulledMessages>(request, {
      timeoutSeconds,
      listen: (wake) => this.bus.onSignalOf('webhook.queued', wanted.id, wake),
      look: async (isFirst) => {
        const context = contextOf(
          request,
          timeoutMs,
          isFirst && position !== undefined ? { after: position } : {},
        );
        return (await this.bus.ask(Webhooks.messages, wanted, context)).value;
      },
      isOver: ({ messages, gaps }) => messages.length > 0 || gaps.length > 0,
      until: (_, now) => now + againMs,
    });
    this.positions.tell(request, accountId, brought);
    return seen;
  }
}
