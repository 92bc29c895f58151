import { compareInstants } from '@carillon/eventing';
import type { ClockOrder } from '@carillon/runtime';
import type { Children } from '../child';

/** Moves the clocks of all processes of a cluster together, where `CARILLON_CLOCK=manual` lets them be moved. */
export class ClusterClock {
  private moving: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly children: Children,
    private readonly parts: readonly string[],
  ) {}

  /** Resolves, with the new time, when all that fell due has been done. */
  advance(ms: number): Promise<string> {
    const moved = this.moving.then(async () => {
      // All know the time before the first acts by it: no service is behind its caller.
      await this.tell({ moveClockMs: ms });
      // Of the last process: no due job ran later.
      const now = (await this.tell({ catchUp: true })).sort(compareInstants).at(-1);
      if (!now) throw new Error('no process has a clock that can be moved');
      return now;
    });
    this.moving = moved.catch(() => {});
    return moved;
  }

  private async tell(order: ClockOrder): Promise<string[]> {
    const answers = await Promise.all(this.parts.map((part) => this.children.ask(part, order)));
    return answers.flatMap((answer) => {
      const { now, failed } = (answer ?? {}) as { now?: string; failed?: string };
      if (failed !== undefined) throw new Error(failed);
      return now === undefined ? [] : [now];
    });
  }
}
