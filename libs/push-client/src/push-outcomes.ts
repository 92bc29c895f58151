import { answer, type Answer, Bus, type Context } from '@carillon/bus';
import { type DeliveryOutcome, type DeliverySettledSignal, Push } from '@carillon/contracts';
import { type Instant, millis, Refused } from '@carillon/eventing';
import { Clock } from '@carillon/runtime';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** The maximum time that an answer waits for the providers. */
const timeoutMs = 10_000;
/** The poll interval: the maximum delay after a lost signal. */
const lookMs = 1_000;
/** The timeout of one poll, so that a slow poll does not use up the time of the answer. */
const lookWithinMs = 2_000;

interface SettledPush {
  readonly accepted: number;
  readonly position?: string | undefined;
}

/** A push: its subject id, and when it was started. */
export interface Pushed {
  readonly subjectId: string;
  readonly since: Instant;
}

/** The progress of a push. */
export interface PushProgress {
  readonly accepted: number;
  /** The count is final. */
  readonly final: boolean;
}

/** A request that creates something and pushes it to devices. */
export interface Pushing<Made, Shown> {
  /** Creates it. No events when an earlier request has created it. */
  append(): Promise<{
    readonly state: Made | null;
    readonly events: readonly unknown[];
    readonly position: bigint;
  }>;
  /** Its push; undefined when it has none. A repeated request has another id than the original one. */
  pushOf(made: Made): Pushed | undefined;
  /** The answer, with the number of devices whose push had been accepted by then. */
  shown(made: Made, accepted: number): Shown;
  /** The answer to a repeated request, if it differs from the first one. */
  viewAgain?(made: Made, accepted: number): Promise<Shown>;
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

  /** Creates it and answers when its push is settled; a repeated request gets the answer of the original one. */
  async answer<Made, Shown extends { readonly idempotent?: boolean }>(
    subjectId: string,
    pushing: Pushing<Made, Shown>,
    context: Context,
  ): Promise<Answer<Shown>> {
    const outcome = this.of(subjectId, context);
    try {
      const { state, events, position } = await pushing.append();
      if (state === null) throw new Error('Something was made without a trace');
      const push = pushing.pushOf(state);
      if (events.length === 0) {
        const first: SettledPush = push
          ? await this.again(push.subjectId, push.since, context)
          : { accepted: 0 };
        const shown = await (pushing.viewAgain ?? pushing.shown)(state, first.accepted);
        return answer(
          { ...shown, ...(context.idempotency && { idempotent: true }) },
          first.position ?? position,
        );
      }
      if (!push) return answer(pushing.shown(state, 0), position);
      const settled = await outcome.settled();
      return answer(pushing.shown(state, settled.accepted), settled.position ?? position);
    } finally {
      outcome.forget();
    }
  }

  /** The progress of an enqueued push when it is settled, or at `endMs` of the business clock. */
  async progress(subjectId: string, context: Context, endMs: number): Promise<PushProgress> {
    let heard: PushProgress | undefined;
    const awake = new AbortController();
    this.waiting.set(subjectId, ({ accepted, final }) => {
      heard = { accepted, final };
      awake.abort();
    });
    try {
      for (;;) {
        // Push may not know it yet, or be unavailable: the next poll tells.
        const deadline = Math.min(context.deadline, Date.now() + lookWithinMs);
        const found = await this.ask(Push.outcome, subjectId, { ...context, deadline }).then(
          ({ value }) => value,
          () => undefined,
        );
        if (found?.final) return found;
        const leftMs = endMs - this.clock.ms();
        if (leftMs <= 0) return found ?? { accepted: 0, final: false };
        await this.clock.sleep(Math.min(lookMs, leftMs), awake.signal);
        if (heard) return heard;
      }
    } finally {
      this.waiting.delete(subjectId);
    }
  }

  /**
   * Starts to listen; call before the push can begin. `settled` resolves with the number of accepted devices when all
   * are settled, or at the timeout.
   */
  private of(subjectId: string, context: Context): { settled(): Promise<SettledPush>; forget(): void } {
    let woken: SettledPush | undefined;
    const awake = new AbortController();
    this.waiting.set(subjectId, ({ accepted, position }) => {
      woken = { accepted, position };
      awake.abort();
    });
    const forget = (): void => void this.waiting.delete(subjectId);
    const settled = async (): Promise<SettledPush> => {
      try {
        const end = this.clock.ms() + timeoutMs;
        while (!woken && this.clock.ms() < end) {
          await this.clock.sleep(Math.min(lookMs, end - this.clock.ms()), awake.signal);
          if (woken) return woken;
          const outcome = await this.ask(Push.outcome, subjectId, context).catch(() => undefined);
          if (outcome && outcome.value.reported !== null)
            return { accepted: outcome.value.reported, position: outcome.position };
        }
        if (woken) return woken;
        const { value, position } = await this.ask(Push.report, subjectId, context);
        return { accepted: value.accepted, position };
      } finally {
        forget();
      }
    };
    return { settled, forget };
  }

  /** The count of the first answer. Refused `idempotency.in_progress` while there is no first answer. */
  private async again(subjectId: string, pushedAt: Instant, context: Context): Promise<SettledPush> {
    // If the process of the first request died, it reports no count; after the timeout the repeated request does.
    const overdue = this.clock.ms() - millis(pushedAt) > timeoutMs;
    const { value, position } = await this.ask(overdue ? Push.report : Push.outcome, subjectId, context);
    if (value.reported !== null) return { accepted: value.reported, position };
    if (context.again) return this.of(subjectId, context).settled();
    throw new Refused('idempotency.in_progress');
  }

  private ask(
    contract: typeof Push.outcome | typeof Push.report,
    subjectId: string,
    context: Context,
  ): Promise<Answer<DeliveryOutcome>> {
    return this.bus.ask(contract, { subjectId }, context);
  }
}
