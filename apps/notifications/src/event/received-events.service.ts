import { Audience, type Pushed, PushOutcomes, type Reached } from '@carillon/push-client';
import { type Answer, Bus, type Context, insistOnSameUse, mayBeRepetition } from '@carillon/bus';
import { Apps, type EventAccepted, type HookMessage } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { type Instant, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { alertOf } from './alert';
import type { Reading } from '../preset/read';
import type { Service } from '../service/service';
import { Shares } from '../service/shares.service';
import { event, receive, type Received } from './event';

const pushOf = ({ eventId, deviceIds, receivedAt }: Received): Pushed | undefined =>
  deviceIds.length > 0 ? { subjectId: eventId, since: receivedAt } : undefined;

const accepted = ({ eventId }: Received, count: number): EventAccepted => ({ eventId, accepted: count });

/** The recipients of an event of a service, and the family with which it is shared. */
export type ServiceAudience = Reached & { readonly familyId?: string };

interface More {
  readonly silentSince?: Instant;
  /** Asked once for all events of a request. */
  readonly audience?: () => Promise<ServiceAudience>;
}

/** Appends the events of services, and waits for their pushes. */
@Injectable()
export class ReceivedEvents {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Log) private readonly log: Log,
    @Inject(Shares) private readonly shares: Shares,
    @Inject(Audience) private readonly audience: Audience,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
  ) {}

  /** Receives the event under this id, or repeats the first answer when the same key has started the id's stream. */
  async receiveAs(
    id: string,
    from: Service,
    reading: Reading,
    context: Context,
    { silentSince, audience = () => this.reachedBy(from, context) }: More = {},
  ): Promise<Answer<EventAccepted>> {
    const { message } = reading;
    const at = this.clock.now();
    const reached = await this.reached(id, message, audience, context);
    const refusal = reached instanceof Refused ? reached : undefined;
    const decide = receive({
      id,
      service: from,
      message,
      ...(reached instanceof Refused ? { deviceIds: [] } : reached),
      ...(reading.withoutPush && { deviceIds: [] }),
      alert: alertOf(from, reading),
      silentSince,
      limitedBy: null,
      fingerprint: context.idempotency?.fingerprint ?? null,
      at,
    });
    const append = () =>
      this.log.transact(
        event,
        streamTail(id),
        (found) => {
          insistOnSameUse(found?.receivedAt, at);
          if (!found && refusal) throw refusal;
          return decide(found);
        },
        metadataOf(context),
        { expectNew: true },
      );
    return this.outcomes.answer(id, { append, pushOf, shown: accepted }, context);
  }

  /**
   * The recipients, if the creator can open the app; returns the refusal instead of throwing it when the request is a
   * repetition, since the first one may have been accepted.
   */
  private async reached(
    id: string,
    message: HookMessage,
    audience: () => Promise<ServiceAudience>,
    context: Context,
  ): Promise<ServiceAudience | Refused> {
    try {
      await this.insistOnApp(message, context);
      return await audience();
    } catch (error) {
      if (mayBeRepetition(context) && error instanceof Refused && (await this.isThere(id))) return error;
      throw error;
    }
  }

  isThere(id: string): Promise<boolean> {
    return this.log.exists(event, streamTail(id));
  }

  /** One that the creator can open. A 404 would tell the sender that the URL is dead. */
  async insistOnApp({ appId }: HookMessage, context: Context): Promise<void> {
    if (appId === undefined) return;
    try {
      await this.bus.ask(Apps.visible, { id: appId }, context);
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'app.not_found') throw error;
      const issues = [{ path: 'appId', message: 'is not a known app', code: 'invalid_value' }];
      throw new Refused('input.invalid', { issues });
    }
  }

  /** The creator, and the current members of the family with which the service is shared. */
  async reachedBy(from: Service, context: Context): Promise<ServiceAudience> {
    const familyId = await this.shares.familyOf(from);
    if (familyId === null) return this.audience.of({}, context);
    return { ...(await this.audience.ofFamily(familyId, context)), familyId };
  }
}
