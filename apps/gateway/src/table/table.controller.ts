import { type Answer, type AnswerText, Bus } from '@carillon/bus';
import { Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import {
  Controller,
  createParamDecorator,
  Delete,
  type ExecutionContext,
  Get,
  Inject,
  Injectable,
  Patch,
  Post,
  Put,
  type Type,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Tokens } from '../access/tokens';
import { ApiError } from '../errors/api-error';
import { jsonType } from '../errors/error-filter';
import { fromRefusal, isForCaller } from '../errors/refusals';
import { Failures } from '../rate/failures';
import { Rates } from '../rate/rates';
import { contextOf } from '../request/context';
import { accountIdOf, edgeOf, type EdgeRequest, type Method, type Row, rowName } from '../request/row';
import { readRequest } from '../request/input';
import { Positions } from '../request/positions';
import { Carries } from '../request/carries';

const freshSignInMs = 15 * 60 * 1000;
const defaultTimeoutMs = 10_000;

/** Request → ask → reply, the same for every row. */
@Injectable()
export class RouteExecutor {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Positions) private readonly positions: Positions,
    @Inject(Tokens) private readonly tokens: Tokens,
    @Inject(Failures) private readonly failures: Failures,
    @Inject(Rates) private readonly rates: Rates,
  ) {}

  async serve(request: EdgeRequest): Promise<unknown> {
    try {
      return await this.serveGuarded(request);
    } catch (error) {
      if (isForCaller(error)) await request.release?.();
      throw error;
    } finally {
      await request.beforeReply?.();
    }
  }

  /** Counts failed credentials of public routes, since an unknown caller may be guessing. */
  private async serveGuarded(request: EdgeRequest): Promise<unknown> {
    if (request.row.access !== 'public') return this.answer(request);
    try {
      return await this.answer(request);
    } catch (error) {
      const answer = error instanceof Refused ? fromRefusal(error) : undefined;
      throw answer?.status === 401 ? await this.failures.count(request.http, answer) : error;
    }
  }

  private async answer(request: EdgeRequest): Promise<unknown> {
    const { row, reply } = request;
    row.refuse?.(request);
    if (row.recent === true) this.insistOnFreshSignIn(request);
    const { input, idempotency, after } = request.read ?? readRequest(request);
    if (typeof row.recent === 'function' && row.recent(input as never)) this.insistOnFreshSignIn(request);
    void reply.status(row.status ?? 200);
    if (!row.contract) return row.local?.(request);

    const accountId = accountIdOf(request);
    const notBefore = this.positions.of(accountId, after);
    const context = contextOf(request, row.timeoutMs ?? defaultTimeoutMs, {
      ...(idempotency && { idempotency }),
      ...(notBefore !== undefined && { after: notBefore }),
    });
    // When the edge does not need to read the answer, it passes the service's text on unparsed.
    const answered =
      row.view || idempotency
        ? await this.bus.ask(row.contract, input, context)
        : passedOn(await this.bus.askText(row.contract, input, context));
    const { position } = answered;
    if (position !== undefined && accountId) {
      this.positions.advance(accountId, position);
      if (row.method !== 'GET') await this.rates.insistOnRecord(accountId);
    }
    this.positions.tell(request, accountId, after);
    const ended = row.revokes?.(request, input as never);
    if (ended !== undefined) await this.tokens.forget(ended);
    if ('text' in answered) {
      void reply.type(jsonType);
      return answered.text;
    }
    const { value } = answered;
    if (idempotency && (value as { idempotent?: boolean }).idempotent)
      void reply.status(200).header('idempotency-replayed', 'true');
    const body = row.view ? row.view(value as never, request) : value;
    if (request.status !== undefined) void reply.status(request.status);
    return body;
  }

  private insistOnFreshSignIn({ session }: EdgeRequest): void {
    if (session && this.clock.ms() - Date.parse(session.signedInAt) <= freshSignInMs) return;
    throw new ApiError(401, 'REAUTH_REQUIRED', 'Sign in again to do this.');
  }
}

/** JSON of an object stays text; the framework serializes anything else. */
const passedOn = (answered: AnswerText): AnswerText | Answer<unknown> => {
  const { text, ...rest } = answered;
  return text.startsWith('{') ? answered : { ...rest, value: JSON.parse(text) };
};

const Edge = createParamDecorator((_: unknown, execution: ExecutionContext) =>
  edgeOf(execution.switchToHttp().getRequest<FastifyRequest>()),
);

const verbs: Record<Method, (path: string) => MethodDecorator> = {
  GET: Get,
  POST: Post,
  PUT: Put,
  PATCH: Patch,
  DELETE: Delete,
};

/** A Nest controller with one method for each row. */
export function controllerOf(name: string, rows: readonly Row[]): Type {
  class TableController {
    constructor(readonly executor: RouteExecutor) {}
  }
  Inject(RouteExecutor)(TableController, undefined, 0);
  for (const row of rows) {
    const key = rowName(row);
    const serve = function (this: TableController, request: EdgeRequest): Promise<unknown> {
      return this.executor.serve(request);
    };
    const descriptor: PropertyDescriptor = { value: serve, configurable: true, writable: true };
    Object.defineProperty(TableController.prototype, key, descriptor);
    verbs[row.method](row.path)(TableController.prototype, key, descriptor);
    Carries(row)(TableController.prototype, key, descriptor);
    Edge()(TableController.prototype, key, 0);
  }
  Object.defineProperty(TableController, 'name', { value: name });
  Controller()(TableController);
  return TableController;
}
