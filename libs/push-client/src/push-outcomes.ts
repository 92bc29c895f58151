import { Bus, type Context } from '@carillon/bus';
import { type DeliveryOutcome, type DeliverySettledSignal, Push } from '@carillon/contracts';
import { type Instant, millis, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** How long an answer waits for the providers. */
const timeoutMs = 10_000;
/** A lost wake-up costs at most this much. */
const lookMs = 1_000;

export interface Settled {
  readonly accepted: number;
  readonly position?: string;
}

/** Waits until the push of a notification, event or prompt is settled. */
@Injectable()
export class PushOutcomes implements OnModuleInit, OnModuleDestroy {
  private readonly waiting = new Map<string, (signal: DeliverySettledSignal) => void>();
  private stopListening: () => void = () => {};

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.bus.onSignal<DeliverySettledSignal>('delivery.settled', (id, signal) =>
      this.waiting.get(id)?.(signal),
    );
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /**
   * Starts to listen; call before the push can begin. `settled` resolves with the devices that had accepted when all
   * were settled, or when patience ended.
   */
  of(subjectId: string, context: Context): { settled(): Promise<Settled>; forget(): void } {
    let woken: Settled | undefined;
    const awake = new AbortController();
    this.waiting.set(subjectId, ({ accepted, position }) => {
      woken = { accepted, position };
      awake.abort();
    });
    const forget = (): void => void this.waiting.delete(subjectId);
    const settled = async (): Promise<Settled> => {
      try {
        const end = this.clock.ms() + timeoutMs;
        while (!woken && this.clock.ms() < end) {
          await this.clock.sleep(Math.min(lookMs, end - this.clock.ms()), awake.signal);
          if (woken) return woken;
          const outcome = await this.ask(Push.outcome, subjectId, context).catch(() => undefined);
          if (outcome && outcome.reported !== null) return { accepted: outcome.reported };
        }
        return woken ?? { accepted: (await this.ask(Push.report, subjectId, context)).accepted };
      } finally {
        forget();
      }
    };
    return { settled, forget };
  }

  /** The count of the first answer once more. Refused `idempotency.in_progress` while it has not been given yet. */
  async again(subjectId: string, sentAt: Instant, now: Instant, context: Context): Promise<number> {
    // When whoever served the first request died, nobody reports; after its patience the replay does.
    const overdue = millis(now) - millis(sentAt) > timeoutMs;
    const { reported } = await this.ask(overdue ? Push.report : Push.outcome, subjectId, context);
    if (reported === null && context.again) return (await this.of(subjectId, context).settled()).accepted;
    if (reported === null) throw new Refused('idempotency.in_progress');
    return reported;
  }

  private async ask(
    contract: typeof Push.outcome | typeof Push.report,
    subjectId: string,
    context: Context,
  ): Promise<DeliveryOutcome> {
    return (await this.bus.ask(contract, { subjectId }, context)).value;
  }
}
