import { Bus } from '@carillon/bus';
import {
  type Contract,
  type Interaction,
  Interactions,
  type InteractionWaited,
  type WaitForInteraction,
} from '@carillon/contracts';
import { millis } from '@carillon/eventing';
import { Controller, Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { contextOf } from '../request/context';
import { accountIdOf, edgeOf, type EdgeRequest, type Row } from '../request/row';
import { readRequest } from '../request/input';
import { Positions } from '../request/positions';
import { Carries } from '../request/carries';
import { Endings } from './endings';
import { tooManyWaits, type WaitRequest, Waits } from './waits';

export const waitRow: Row = {
  method: 'GET',
  path: '/api/agent/interactions/:id/wait',
  access: 'token',
  scopes: ['interactions:read'],
  contract: Interactions.wait as Contract<unknown, unknown>,
  errors: [tooManyWaits],
};

const timeoutMs = 10_000;
/**
 * A wait reads its prompt this long after the expiry: the clock of interactions may be slightly behind the gateway's.
 */
const skewMs = 100;

/** The wait for the end of a prompt. */
export const forPrompt = (
  { bus, endings }: { readonly bus: Bus; readonly endings: Endings },
  request: EdgeRequest,
  {
    id,
    timeoutSeconds,
    after,
  }: {
    readonly id: string;
    readonly timeoutSeconds: number;
    /** Log position that the first read must have reached. */
    readonly after?: string | undefined;
  },
): WaitRequest<Interaction> => ({
  timeoutSeconds,
  listen: (wake) => endings.listen(id, wake),
  look: async (isFirst) => {
    const context = contextOf(request, timeoutMs, isFirst && after !== undefined ? { after } : {});
    return (await bus.ask(Interactions.get, { id }, context)).value.interaction;
  },
  isOver: ({ status }) => status !== 'pending',
  until: ({ expiresAt }, now) => Math.max(millis(expiresAt), now + skewMs),
});

/** The long poll: stays open until the prompt ends. */
@Controller()
export class WaitController {
  constructor(
    @Inject(Bus) readonly bus: Bus,
    @Inject(Endings) readonly endings: Endings,
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
    const { seen, timedOut } = await this.waits.serve(
      request,
      forPrompt(this, request, { id, timeoutSeconds, after }),
    );
    this.positions.tell(request, accountId, brought);
    return { interaction: seen, timedOut };
  }
}
