import { Audience, type Pushed, PushOutcomes, type Reached } from '@carillon/push-client';
import {
  answer,
  type Answer,
  Bus,
  type Context,
  createOnce,
  Handles,
  insistOnSameUse,
  mayBeRepetition,
} from '@carillon/bus';
import { Apps, type EventAccepted, HookMessage, ReceiveEvent, Services } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, type Logger, LOGGER, metadataOf } from '@carillon/runtime';
import { deriveId, fingerprint, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { alertOf } from './alert';
import { HookServices } from '../service/hook-services.service';
import type { Service } from '../service/service';
import { isAboutPayload } from '../payload/payload';
import { Payloads } from '../payload/payloads.service';
import { type HookRequest, read, type Reading } from '../preset/read';
import { isSigned } from '../payload/signature';
import { SenderSecrets } from '../service/sender-secrets.service';
import { Shares } from '../service/shares.service';
import { event, receive, type Received } from './event';

const pushOf = ({ eventId, deviceIds, receivedAt }: Received): Pushed | undefined =>
  deviceIds.length > 0 ? { subjectId: eventId, since: receivedAt } : undefined;

const requestOf = ({ contentType, headers, payload }: Omit<ReceiveEvent, 'hash'>): HookRequest => ({
  ...(contentType !== undefined && { contentType }),
  headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  payload: Buffer.from(payload, 'base64'),
});

/** Without a key of the request, a repetition is one by what its sender says, whatever else has changed in it. */
function idempotencyOf(asked: {
  readonly key: string | undefined;
  readonly once: string | null;
  readonly message: HookMessage;
  readonly serviceId: string;
}): Pick<Context, 'idempotency'> {
  const { key, once, message, serviceId } = asked;
  if (key !== undefined) return { idempotency: { key, fingerprint: fingerprint({ ...message, serviceId }) } };
  return once === null ? {} : { idempotency: { key: once, fingerprint: once } };
}

const later = (one?: string, other?: string): string | undefined =>
  one === undefined || (other !== undefined && BigInt(other) > BigInt(one)) ? other : one;

/** One answer for the events of a request. */
const together = (first: Answer<EventAccepted>, next: Answer<EventAccepted>): Answer<EventAccepted> =>
  answer(
    { ...first.value, accepted: first.value.accepted + next.value.accepted },
    later(first.position, next.position),
  );

const accepted = ({ eventId }: Received, count: number): EventAccepted => ({ eventId, accepted: count });

@Controller()
export class EventHandlers {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Log) private readonly log: Log,
    @Inject(HookServices) private readonly hooks: HookServices,
    @Inject(SenderSecrets) private readonly secrets: SenderSecrets,
    @Inject(Payloads) private readonly payloads: Payloads,
    @Inject(Shares) private readonly shares: Shares,
    @Inject(Audience) private readonly audience: Audience,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Handles(Services.receive)
  async receive(
    { hash, limitedBy, ...sent }: ReceiveEvent,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    const from = await this.hooks.behind(hash);
    const request = requestOf(sent);
    const asked = { ...context, caller: { ...context.caller, accountId: from.accountId } };
    try {
      this.insistOnSignature(from, request);
      const readings = read(from, request);
      const answers = await Promise.all(
        readings.map((reading, index) =>
          limitedBy
            ? this.file(from, reading, limitedBy, index, asked)
            : this.receiveOnce(from, reading, readings.length > 1, asked),
        ),
      );
      const eventIds = answers.map(({ value }) => value.eventId);
      await this.payloads.note(from, request, { readings, eventIds, isLimited: limitedBy !== undefined });
      return answers.reduce(together);
    } catch (error) {
      if (isAboutPayload(error)) await this.refuse(from, request, error, context);
      throw error;
    }
  }

  /** Before anything of the payload is read. */
  private insistOnSignature(from: Service, request: HookRequest): void {
    const secret = this.secrets.of(from);
    if (secret === null || isSigned(from.preset, request, secret, this.clock.now())) return;
    throw new Refused('hook.bad_signature');
  }

  private async refuse(
    from: Service,
    request: HookRequest,
    refusal: Refused,
    { traceparent }: Context,
  ): Promise<void> {
    this.logger.info(
      { serviceId: from.id, reason: refusal.reason, traceparent },
      'Refused a payload of a webhook service: its creator finds it among the last payloads',
    );
    await this.payloads.note(from, request, { refusal });
  }

  /**
   * Receives one of the events of a request. A repetition is told by the request's idempotency key, or else by what its
   * sender says: the same group in the same state, or the same delivery.
   */
  private receiveOnce(
    from: Service,
    reading: Reading,
    isOneOfMany: boolean,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    const { message, once } = reading;
    const key = context.idempotency?.key;
    const asked = { ...context, ...idempotencyOf({ key, once, message, serviceId: from.id }) };
    const names = key === undefined && once !== null ? ['sender'] : isOneOfMany ? ['many', once ?? ''] : [];
    return createOnce(asked, {
      idOf: (...parts) => this.idOf(from, ...names, ...parts),
      attempt: (id) => this.receiveAs(id, from, reading, asked),
      exists: (id) => this.isThere(id),
    });
  }

  /** Receives the event under this id, or repeats the first answer when the same key has started the id's stream. */
  private async receiveAs(
    id: string,
    from: Service,
    reading: Reading,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    const { message } = reading;
    const at = this.clock.now();
    const reached = await this.reached(id, from, message, context);
    const refusal = reached instanceof Refused ? reached : undefined;
    const decide = receive({
      id,
      service: from,
      message,
      ...(reached instanceof Refused ? { deviceIds: [] } : reached),
      alert: alertOf(from, reading),
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
    from: Service,
    message: HookMessage,
    context: Context,
  ): Promise<Reached | Refused> {
    try {
      await this.insistOnApp(message, context);
      return await this.reachedBy(from, context);
    } catch (error) {
      if (mayBeRepetition(context) && error instanceof Refused && (await this.isThere(id))) return error;
      throw error;
    }
  }

  private isThere(id: string): Promise<boolean> {
    return this.log.exists(event, streamTail(id));
  }

  /** One that the creator can open. A 404 would tell the sender that the URL is dead. */
  private async insistOnApp({ appId }: HookMessage, context: Context): Promise<void> {
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
  private async reachedBy(
    from: Service,
    context: Context,
  ): Promise<Reached & { readonly familyId?: string }> {
    const familyId = await this.shares.familyOf(from);
    if (familyId === null) return this.audience.of({}, context);
    return { ...(await this.audience.ofFamily(familyId, context)), familyId };
  }

  private idOf(from: Service, ...parts: readonly string[]): string {
    return deriveId('evt', this.clock.ms(), Services.receive.subject, from.id, ...parts);
  }

  /** Records a request over a limit, without its idempotency key: the sender may retry the same request. */
  private async file(
    from: Service,
    { message }: Reading,
    limitedBy: NonNullable<ReceiveEvent['limitedBy']>,
    index: number,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    await this.insistOnApp(message, context);
    const id = this.idOf(from, context.commandId, String(index));
    const reached = await this.reachedBy(from, context);
    const { position } = await this.log.transact(
      event,
      streamTail(id),
      receive({
        id,
        service: from,
        message,
        ...reached,
        limitedBy,
        fingerprint: null,
        at: this.clock.now(),
      }),
      metadataOf(context),
      { expectNew: true },
    );
    return answer({ eventId: id, accepted: 0 }, position);
  }
}
