import { Bus, type Context } from '@carillon/bus';
import {
  type Contract,
  type DeadLetter,
  Installation,
  type InstallationHealth,
  type ListQuery,
  type Ok,
  type OperatedDeadLetter,
  type OperatedDeadLetterById,
  operationsOf,
  Push,
  serviceNames,
} from '@carillon/contracts';
import { isPassing, Refused } from '@carillon/eventing';
import { Cursors } from '@carillon/runtime';
import { sortedBy } from '@carillon/signing';
import { Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Carries } from '../request/carries';
import { contextOf } from '../request/context';
import { readRequest } from '../request/input';
import { edgeOf, type Method, type Row } from '../request/row';
import { Replicas } from './replicas';

const row = (method: Method, path: string) =>
  ({
    method,
    path: `/api/session/operator${path}`,
    access: 'session',
    scopes: [],
    operatorsOnly: true,
  }) satisfies Row;

// prettier-ignore
export const operatorRows: Readonly<Record<'health' | 'deadLetters' | 'retry' | 'drop', Row>> = {
  health: { ...row('GET', '/health'), contract: Installation.health as Contract<unknown, unknown> },
  deadLetters: { ...row('GET', '/dead-letters'), contract: Installation.deadLetters as Contract<unknown, unknown> },
  retry: { ...row('POST', '/dead-letters/:id/retry'), contract: Installation.retryDeadLetter as Contract<unknown, unknown> },
  drop: { ...row('POST', '/dead-letters/:id/drop'), contract: Installation.dropDeadLetter as Contract<unknown, unknown> },
};

const timeoutMs = 10_000;
const order = sortedBy(['at', 'desc'], ['id', 'desc']);

/** Ids of dead letters are those of one service only: here they name the service too. */
const idOf = ({ service, id }: DeadLetter): string => Buffer.from(`${service} ${id}`).toString('base64url');

function named(id: string): { service: string; id: string } {
  const [service = '', ...of] = Buffer.from(id, 'base64url').toString().split(' ');
  if (!(serviceNames as readonly string[]).includes(service)) throw new Refused('dead_letter.not_found');
  return { service, id: of.join(' ') };
}

/** Undefined when the service does not answer. */
const known = <Answered>(asked: Promise<Answered>): Promise<Answered | undefined> =>
  asked.catch((error: unknown) => {
    if (isPassing(error)) return undefined;
    throw error;
  });

/** What an operator asks about the installation as a whole, answered from what all services say. */
@Controller()
export class OperatorController {
  private readonly cursors = new Cursors('dead letters', order);

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Replicas) private readonly replicas: Replicas,
  ) {}

  @Get(operatorRows.health.path)
  @Carries(operatorRows.health)
  async health(@Req() http: FastifyRequest): Promise<InstallationHealth> {
    const { context } = this.read(http);
    // Of a service that does not answer, no replica is counted, and nothing else is told.
    const [told, lists, queued] = await Promise.all([
      this.replicas.ask(),
      Promise.all(
        serviceNames.map((name) => known(this.bus.ask(operationsOf(name).projections, {}, context))),
      ),
      known(this.bus.ask(Push.queued, {}, context)),
    ]);
    const sum = (name: string, of: 'accepted' | 'refused'): number =>
      told.transports.filter((each) => each.name === name).reduce((total, each) => total + each[of], 0);
    return {
      services: serviceNames.map((name) => {
        const replicas = told.replicas.filter(({ service }) => service === name);
        return { name, replicas: replicas.length, ready: replicas.filter(({ ready }) => ready).length };
      }),
      projections: lists.flatMap((answered) =>
        (answered?.value.projections ?? []).map(({ service, projection, eventsBehind, secondsBehind }) => ({
          name: `${service} ${projection}`,
          behindEvents: eventsBehind,
          behindSeconds: secondsBehind === null ? null : Math.round(secondsBehind),
        })),
      ),
      transports: Object.entries(queued?.value.queued ?? {}).map(([name, waiting]) => ({
        name,
        accepted: sum(name, 'accepted'),
        refused: sum(name, 'refused'),
        queued: waiting,
      })),
    };
  }

  @Get(operatorRows.deadLetters.path)
  @Carries(operatorRows.deadLetters)
  async deadLetters(
    @Req() http: FastifyRequest,
  ): Promise<{ deadLetters: readonly OperatedDeadLetter[]; nextCursor: string | null }> {
    const { context, input } = this.read<ListQuery>(http);
    const asked = this.cursors.asked(null, input);
    const lists = await Promise.all(
      serviceNames.map((name) => this.bus.ask(operationsOf(name).deadLetters, {}, context)),
    );
    const all = lists.flatMap(({ value }) =>
      value.deadLetters.map((each) => ({ at: Date.parse(each.since), id: idOf(each), each })),
    );
    const rows = order.sorted(all, asked.key).slice(0, asked.limit + 1);
    const page = asked.of(
      rows,
      rows.map(({ id, each }) => ({
        id,
        queue: `${each.service} ${each.queue}`,
        subject: each.id,
        reason: each.reason,
        attempts: each.attempts,
        at: each.since,
      })),
    );
    return { deadLetters: page.items, nextCursor: page.nextCursor };
  }

  @Post(operatorRows.retry.path)
  @HttpCode(200)
  @Carries(operatorRows.retry)
  async retry(@Req() http: FastifyRequest): Promise<Ok> {
    const { context, input } = this.read<OperatedDeadLetterById>(http);
    const { service, id } = named(input.id);
    return (await this.bus.ask(operationsOf(service).retryDeadLetter, { id }, context)).value;
  }

  @Post(operatorRows.drop.path)
  @HttpCode(200)
  @Carries(operatorRows.drop)
  async drop(@Req() http: FastifyRequest): Promise<Ok> {
    const { context, input } = this.read<OperatedDeadLetterById>(http);
    const { service, id } = named(input.id);
    return (await this.bus.ask(operationsOf(service).dropDeadLetter, { id }, context)).value;
  }

  private read<Input>(http: FastifyRequest): { context: Context; input: Input } {
    const request = edgeOf(http);
    const { input } = readRequest(request);
    return { context: contextOf(request, timeoutMs), input: input as Input };
  }
}
