import { randomUUID } from 'node:crypto';
import type { Bus, Context } from '@carillon/bus';
import { Log, Projections } from '@carillon/event-store';
import type { Decider, DomainEvent, EventMetadata } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { rowsReach, startParts } from '@carillon/testkit';
import { ReadModelsModule } from './read-models.module';

/** The fields that the writing services seal. */
const personal = {
  NotificationSent: ['title', 'body', 'summary', 'sourceName', 'projectName'],
  EventReceived: ['title', 'body', 'serviceTitle'],
  InteractionAsked: ['title', 'prompt', 'sourceName', 'projectName'],
  InteractionAnswered: ['response'],
  ActivityStarted: ['sourceName', 'props', 'prompt'],
  ActivityEnded: ['props'],
};

const asIs = (category: string): Decider<null, DomainEvent> => ({
  category,
  initial: null,
  evolve: () => null,
  personal,
});

const metadataOf = (accountId: string): Omit<EventMetadata, 'at'> => ({
  commandId: randomUUID(),
  correlationId: 'test',
  accountId,
  actor: { accountId },
});

/** The context of a caller, with the position that rows must have reached. */
export const contextOf = (accountId: string, after?: string): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId },
  deadline: Date.now() + 10_000,
  ...(after !== undefined && { after }),
});

/** The read models with real dependencies; events of other services are appended as those services do. */
export class Testbed {
  private constructor(
    private readonly parts: Awaited<ReturnType<typeof startParts>>,
    readonly service: RunningService,
    readonly bus: Bus,
  ) {}

  static async open(): Promise<Testbed> {
    const parts = await startParts();
    try {
      const service = await startService({ name: 'read-models', module: ReadModelsModule });
      return new Testbed(parts, service, await sharedBus.take());
    } catch (error) {
      await parts.stop();
      throw error;
    }
  }

  get log(): Log {
    return this.service.get(Log);
  }

  get clock(): ManualClock {
    return this.service.get(Clock) as ManualClock;
  }

  /** Gives where the log is then. */
  async append(category: string, id: string, accountId: string, ...events: DomainEvent[]): Promise<string> {
    const { position } = await this.log.appendTo(asIs(category), id, events, 'any', metadataOf(accountId));
    return String(position);
  }

  /** The same, and waits until it is told what changed by that. */
  async appendAndSee(...given: Parameters<Testbed['append']>): Promise<string> {
    const position = await this.append(...given);
    for (const name of ['changes', 'inbox']) await rowsReach(this.service.get(Projections), name, position);
    return position;
  }

  async close(): Promise<void> {
    await this.service.close();
    await sharedBus.release();
    await this.parts.stop();
  }
}
