import {
  type Contract,
  Interactions,
  type InteractionWaited,
  type WaitForInteraction,
} from '@carillon/contracts';
import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { accountIdOf, edgeOf, type Row } from '../request/row';
import { readRequest } from '../request/input';
import { Positions } from '../request/positions';
import { Carries } from '../request/carries';
import { Waits } from './waits';

export const waitRow: Row = {
  method: 'GET',
  path: '/api/agent/interactions/:id/wait',
  access: 'token',
  scopes: ['interactions:read'],
  contract: Interactions.wait as Contract<unknown, unknown>,
  errors: [[429, 'TOO_MANY_WAITS', 'The token has as many waits open as it may have.']],
};

/** The long poll: stays open until the prompt ends. */
@Controller()
export class WaitController {
  constructor(
    @Inject(Waits) private readonly waits: Waits,
    @Inject(Positions) private readonly positions: Positions,
  ) {}

  @Get(waitRow.path)
  @Carries(waitRow)
  async wait(@Req() http: FastifyRequest): Promise<InteractionWaited> {
    const request = edgeOf(http);
    const { input, after: brought } = readRequest(request);
    const { id, timeoutSeconds = 25 } = input as WaitForInteraction;
    const accountId = accountIdOf(request);
    const after = this.positions.of(accountId, brought);
    const waited = await this.waits.serve(request, {
      id,
      timeoutSeconds,
      ...(after !== undefined && { after }),
    });
    this.positions.tell(request, accountId, brought);
    return waited;
  }
}
