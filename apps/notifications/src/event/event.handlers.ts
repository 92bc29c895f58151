import { answer, type Answer, type Context, createOnce, Handles } from '@carillon/bus';
import { type EventAccepted, HookMessage, ReceiveEvent, Services } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, fingerprint, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { HookServices } from '../service/hook-services.service';
import type { Service } from '../service/service';
import { isAboutPayload } from '../payload/payload';
import { Payloads } from '../payload/payloads.service';
import { type HookRequest, read, type Reading } from '../preset/read';
import { isSigned } from '../payload/signature';
import { SenderSecrets } from '../service/sender-secrets.service';
import { Calls } from './calls.service';
import { event, receive } from './event';
import { inParallel } from './in-parallel';
import { ReceivedEvents, type ServiceAudience } from './received-events.service';
import { RepeatedStates } from './repeated-states.service';

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

/** The events of one request that are received at once. */
const concurrency = 32;

@Controller()
export class EventHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(HookServices) private readonly hooks: HookServices,
    @Inject(SenderSecrets) private readonly secrets: SenderSecrets,
    @Inject(Payloads) private readonly payloads: Payloads,
    @Inject(ReceivedEvents) private readonly received: ReceivedEvents,
    @Inject(RepeatedStates) private readonly states: RepeatedStates,
    @Inject(Calls) private readonly calls: Calls,
    @Inject(Clock) private readonly clock: Clock,
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
      if (from.expectEverySeconds !== null) {
        await this.calls.note(from.id);
        // A sign of life that says nothing is no event.
        if (request.payload.length === 0) return answer({ eventId: null, accepted: 0 });
      }
      const made = read(from, request);
      // Over a limit nothing pages: what has no push of its own is told by the event that is pushed for it.
      const readings = limitedBy
        ? made.filter(({ withoutPush }) => !withoutPush)
        : await this.withoutVainEnds(from, made);
      let asking: Promise<ServiceAudience> | undefined;
      const audience = () => (asking ??= this.received.reachedBy(from, asked));
      const answers = await inParallel(readings, concurrency, (reading, index) =>
        limitedBy
          ? this.file(from, reading, limitedBy, index, asked)
          : this.receiveOnce(from, reading, made.length > 1, audience, asked),
      );
      const eventIds = answers.flatMap(({ value }) => value.eventId ?? []);
      await this.payloads.note(from, request, { readings, eventIds, isLimited: limitedBy !== undefined });
      return answers.reduce(together);
    } catch (error) {
      if (isAboutPayload(error)) await this.payloads.refuse(from, request, error, context);
      throw error;
    }
  }

  private async withoutVainEnds(from: Service, readings: readonly Reading[]): Promise<readonly Reading[]> {
    const end = readings.find(({ onlyResolves }) => onlyResolves);
    if (!end || (await this.states.mayHavePage(from, end))) return readings;
    return readings.filter((reading) => reading !== end);
  }

  /** Before anything of the payload is read. */
  private insistOnSignature(from: Service, request: HookRequest): void {
    const secret = this.secrets.of(from);
    if (secret === null || isSigned(from.preset, request, secret, this.clock.now())) return;
    throw new Refused('hook.bad_signature');
  }

  /**
   * Receives one of the events of a request. A repetition is told by the request's idempotency key, or else by what its
   * sender says: the same group still in the same state, or the same delivery.
   */
  private async receiveOnce(
    from: Service,
    reading: Reading,
    isOneOfMany: boolean,
    audience: () => Promise<ServiceAudience>,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    const { message } = reading;
    const key = context.idempotency?.key;
    const once = key === undefined ? await this.states.keyOf(from, reading, context) : reading.once;
    const asked = { ...context, ...idempotencyOf({ key, once, message, serviceId: from.id }) };
    const names = key === undefined && once !== null ? ['sender'] : isOneOfMany ? ['many', once ?? ''] : [];
    return createOnce(asked, {
      idOf: (...parts) => this.idOf(from, ...names, ...parts),
      attempt: (id) => this.received.receiveAs(id, from, reading, asked, { audience }),
      exists: (id) => this.received.isThere(id),
    });
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
    await this.received.insistOnApp(message, context);
    const id = this.idOf(from, context.commandId, String(index));
    const reached = await this.received.reachedBy(from, context);
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
