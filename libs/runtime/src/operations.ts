import { answer, type Answer, type Context, Handles, insistOnOperator } from '@carillon/bus';
import {
  type DeadLetter,
  DeadLetterById,
  type KnownKeys,
  Nothing,
  operationsOf,
  type OperatorActed,
  type ProjectionStatus,
  RebuildProjection,
} from '@carillon/contracts';
import { type GivenUp, Log, Projections, QueueRunner } from '@carillon/event-store';
import { type Decider, Refused } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { Controller, Inject, type Type } from '@nestjs/common';
import { Clock } from './clock';
import { logger } from './logging';
import { metadataOf } from './metadata';

const operation: Decider<null, OperatorActed> = {
  category: 'operation',
  initial: null,
  evolve: () => null,
  personal: { OperatorActed: [] },
};

/** Records in the event log what the operator is about to do, and to what; holds no personal text. */
export async function recordOperation(
  log: Log,
  clock: Clock,
  operated: Pick<OperatorActed, 'action' | 'service' | 'target'>,
  context: Context,
): Promise<void> {
  const event: OperatorActed = { type: 'OperatorActed', ...operated, actedAt: clock.now() };
  await log.appendTo(operation, 'installation', [event], 'any', metadataOf(context));
  logger(operated.service).info({ action: operated.action, target: operated.target }, 'Operator action');
}

/** The handlers for the operator's tools. Each change is recorded in the event log first. */
export function operationsHandlers(service: string): Type {
  const contracts = operationsOf(service);
  const target = logger(service);

  @Controller()
  class OperationsHandlers {
    private readonly rebuilding = new Set<string>();

    constructor(
      @Inject(Projections) private readonly projections: Projections,
      @Inject(QueueRunner) private readonly queueRunner: QueueRunner,
      @Inject(Log) private readonly log: Log,
      @Inject(Clock) private readonly clock: Clock,
      @Inject(KeyRing) private readonly ring: KeyRing,
    ) {}

    @Handles(contracts.projections)
    async list(
      _input: Nothing,
      context: Context,
    ): Promise<Answer<{ projections: readonly ProjectionStatus[] }>> {
      insistOnOperator(context);
      const projections = this.projections.lags().map(({ projection, current, events, seconds }) => ({
        service,
        projection,
        current,
        eventsBehind: events ?? null,
        secondsBehind: seconds ?? null,
        rebuilding: this.rebuilding.has(projection),
      }));
      return answer({ projections });
    }

    @Handles(contracts.rebuild)
    async rebuild({ projection }: RebuildProjection, context: Context): Promise<Answer<{ started: true }>> {
      insistOnOperator(context);
      if (!this.projections.lags().some((each) => each.projection === projection))
        throw new Refused('projection.not_found', { projection });
      if (this.rebuilding.has(projection)) throw new Refused('projection.rebuilding', { projection });
      await this.record(context, 'projection.rebuild', projection);
      this.rebuilding.add(projection);
      // A rebuild may take minutes: the operator polls the list of projections.
      this.projections
        .rebuild(projection)
        .then(
          ({ events }) => target.info({ projection, events }, 'Rebuilt the rows of a projection'),
          (error: unknown) =>
            target.error(
              { err: error, projection },
              'Failed to rebuild the rows of a projection: the current rows stay in use',
            ),
        )
        .finally(() => this.rebuilding.delete(projection));
      return answer({ started: true });
    }

    @Handles(contracts.keys)
    async keys(_input: Nothing, context: Context): Promise<Answer<{ keys: KnownKeys }>> {
      insistOnOperator(context);
      return answer({ keys: { service, sealsWith: this.ring.newest, opensWith: this.ring.ids } });
    }

    @Handles(contracts.deadLetters)
    async deadLetters(
      _input: Nothing,
      context: Context,
    ): Promise<Answer<{ deadLetters: readonly DeadLetter[] }>> {
      insistOnOperator(context);
      const deadLetters = await this.allDeadLetters();
      return answer({ deadLetters: deadLetters.map(({ isSetAside: _, ...each }) => ({ service, ...each })) });
    }

    @Handles(contracts.retryDeadLetter)
    async retry({ id }: DeadLetterById, context: Context): Promise<Answer<{ ok: true }>> {
      return this.settle(id, context, 'retry');
    }

    @Handles(contracts.dropDeadLetter)
    async drop({ id }: DeadLetterById, context: Context): Promise<Answer<{ ok: true }>> {
      return this.settle(id, context, 'drop');
    }

    private async settle(id: string, context: Context, how: 'retry' | 'drop'): Promise<Answer<{ ok: true }>> {
      insistOnOperator(context);
      const found = (await this.allDeadLetters()).find((each) => each.id === id);
      if (!found) throw new Refused('dead_letter.not_found', { id });
      await this.record(context, `dead_letter.${how}`, id);
      const isSettled = found.isSetAside
        ? await this.projections.settleSetAside(found.queue, found.accountId, how)
        : await this.queueRunner.settleDeadLetter(found.queue, id, how);
      if (!isSettled) throw new Refused('dead_letter.failed_again', { id });
      return answer({ ok: true });
    }

    /** The jobs that queues gave up, and the accounts that projections set aside. */
    private async allDeadLetters(): Promise<(GivenUp & { readonly isSetAside: boolean })[]> {
      const [jobs, accounts] = await Promise.all([
        this.queueRunner.deadLetters(),
        this.projections.setAside(),
      ]);
      return [
        ...jobs.map((each) => ({ ...each, isSetAside: false })),
        ...accounts.map((each) => ({ ...each, isSetAside: true })),
      ];
    }

    private record(context: Context, action: string, of: string): Promise<void> {
      return recordOperation(this.log, this.clock, { action, service, target: of }, context);
    }
  }
  return OperationsHandlers;
}
