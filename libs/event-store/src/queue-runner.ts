import type { Database } from './database';
import type { GivenUp } from './dead-letter-box';
import type { Logger } from './logger';
import type { Queue, QueueClock } from './queue';

/** The status of a queue. */
export interface QueueStatus {
  readonly queue: string;
  readonly due: number;
  readonly oldestSeconds: number;
  /** How much this process has leased, in the weight of jobs. */
  readonly leased: number;
  /** The number of dead letters; undefined for a queue that keeps none. */
  readonly dead: number | undefined;
}

/** A queue of any kind of jobs, as the runner sees it. */
export type Runnable = Pick<Queue<unknown>, 'name' | 'start' | 'stop' | 'backlog' | 'deadLetters' | 'leased'>;

/** Runs the queues of one service, from its start to its stop. */
export class QueueRunner {
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly clock: QueueClock,
    private readonly queues: readonly Runnable[],
    private readonly logger: Logger,
  ) {
    if (new Set(queues.map(({ name }) => name)).size < queues.length)
      throw new Error('Two queues have the same name');
  }

  async start(): Promise<void> {
    for (const queue of this.queues) {
      if (this.stopped) return;
      await queue.start(this.database, this.clock, this.logger);
    }
  }

  /** The status of each queue; a queue whose status query fails is left out. */
  async statuses(): Promise<QueueStatus[]> {
    const asked = await Promise.allSettled(this.queues.map((queue) => this.statusOf(queue)));
    return asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  /** The dead letters of all queues. */
  async deadLetters(): Promise<GivenUp[]> {
    const boxes = this.queues.map(async ({ name: queue, deadLetters }) =>
      ((await deadLetters?.list()) ?? []).map((each) => ({ queue, ...each })),
    );
    return (await Promise.all(boxes)).flat();
  }

  /** Retries or drops a dead letter. False when the retry failed. */
  async settleDeadLetter(queue: string, id: string, how: 'retry' | 'drop'): Promise<boolean> {
    const box = this.queues.find(({ name }) => name === queue)?.deadLetters;
    if (how === 'retry') return (await box?.retry(id)) ?? false;
    await box?.drop(id);
    return true;
  }

  private async statusOf(queue: Runnable): Promise<QueueStatus> {
    const [{ due, since }, dead] = await Promise.all([queue.backlog(), queue.deadLetters?.count()]);
    const oldestSeconds = since ? Math.max(0, (this.clock.ms() - since.getTime()) / 1_000) : 0;
    return { queue: queue.name, due, oldestSeconds, leased: queue.leased, dead };
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.queues.map((queue) => queue.stop()));
  }
}
