import type { Bus } from '@carillon/bus';
import { Log, Projections } from '@carillon/event-store';
import type { Decider, DomainEvent } from '@carillon/eventing';
import { Clock, type ManualClock, type RunningService, sharedBus, startService } from '@carillon/runtime';
import { streamMetadata, rowsReach, startParts } from '@carillon/testkit';
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

let parts: Awaited<ReturnType<typeof startParts>>;
export let service: RunningService;
export let bus: Bus;
export let log: Log;
export let clock: ManualClock;

/** Starts the read models on real parts. Specs whose events have fixed times keep them for ever: 0 days. */
export async function begin({ keepDays = 90 } = {}): Promise<void> {
  parts = await startParts({ CARILLON_KEEP_DAYS: String(keepDays) });
  await start();
  bus = await sharedBus.take();
}

async function start(): Promise<void> {
  service = await startService({ name: 'read-models', module: ReadModelsModule });
  log = service.get(Log);
  clock = service.get(Clock) as ManualClock;
}

/** The process ends, and another one starts. */
export async function restart(): Promise<void> {
  await service.close();
  await start();
}

export async function end(): Promise<void> {
  await service?.close();
  await sharedBus.release();
  await parts?.stop();
}

/** Appends events of another service as it would, and returns the log position. */
export async function append(
  category: string,
  id: string,
  accountId: string,
  ...events: readonly DomainEvent[]
): Promise<string> {
  const metadata = streamMetadata(accountId, { accountId });
  return String((await log.appendTo(asIs(category), id, events, 'any', metadata)).position);
}

/** The same, and waits until the rows of the inbox and of changes include the events. */
export async function appendAndSee(...given: Parameters<typeof append>): Promise<string> {
  const position = await append(...given);
  for (const name of ['changes', 'inbox']) await rowsReach(service.get(Projections), name, position);
  return position;
}
