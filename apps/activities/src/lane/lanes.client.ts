import { Bus, type Context } from '@carillon/bus';
import { type LaneReadiness, type LanesReport, Push } from '@carillon/contracts';
import { Inject, Injectable } from '@nestjs/common';

/** How long an answer waits for the report of push. */
const timeoutMs = 1_000;

const impatient = (context: Context): Context => ({
  ...context,
  deadline: Math.min(context.deadline, Date.now() + timeoutMs),
});

/** Gets the lane reports of push. A missing report is no failure: the stored change will be sent. */
@Injectable()
export class Lanes {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** The outcomes of one operation, once push has processed this position. */
  async report(
    activityId: string,
    sequence: number,
    after: bigint,
    context: Context,
  ): Promise<LanesReport | undefined> {
    try {
      const asked = { activityId, sequence, after: String(after) };
      return (await this.bus.ask(Push.lanes, asked, impatient(context))).value;
    } catch {
      return undefined;
    }
  }

  async readiness(
    activityIds: readonly string[],
    context: Context,
  ): Promise<Readonly<Record<string, LaneReadiness>>> {
    if (activityIds.length === 0) return {};
    try {
      const { value } = await this.bus.ask(
        Push.readiness,
        { activityIds: [...activityIds] },
        impatient(context),
      );
      return value.readiness;
    } catch {
      return {};
    }
  }
}
