import { PushOutcomes } from '@carillon/push-client';
import {
  answer,
  type Answer,
  Bus,
  type Context,
  Handles,
  keyIsFree,
  KeyUsedUp,
  underKey,
} from '@carillon/bus';
import { type EventAccepted, HookMessage, Push, ReceiveEvent, Services } from '@carillon/contracts';
import { Database, Log, Projections } from '@carillon/event-store';
import { type Instant, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Service, service } from '../service/service';
import { event, receive, type Received } from './event';

@Controller()
export class EventHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Database) private readonly database: Database,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(PushOutcomes) private readonly outcomes: PushOutcomes,
  ) {}

  @Handles(Services.receive)
  async receive(
    { hash, limitedBy, ...message }: ReceiveEvent,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    refuseUnknownApp(message);
    const from = await this.serviceBehind(hash);
    const asked = { ...context, caller: { ...context.caller, accountId: from.accountId } };
    const { idempotency } = context;
    if (limitedBy) return this.file(from, message, limitedBy, asked);
    if (!idempotency) return this.receiveAs(this.idOf(from, context), from, message, asked);
    return underKey({
      idOf: (generation) =>
        deriveId(
          'evt',
          this.clock.ms(),
          Services.receive.subject,
          from.id,
          idempotency.key,
          String(generation),
        ),
      attempt: (id) => this.receiveAs(id, from, message, asked),
      exists: async (id) => (await this.log.load(event, streamTail(id))).state !== null,
    });
  }

  /**
   * The service whose URL has this secret now. The rows only tell where to look: the log decides, so that a URL that
   * was replaced is dead even where the rows are late.
   */
  private async serviceBehind(hash: string): Promise<Service> {
    const row = await this.projections.find('services', async () => {
      const [found] = await this.database.query<{ service_id: string }>(
        `SELECT service_id FROM services WHERE hook_hash = $1`,
        [hash],
      );
      return found;
    });
    const found = row && (await this.log.load(service, streamTail(row.service_id))).state;
    if (found?.hookHash !== hash) throw new Refused('hook.not_found');
    return found;
  }

  /** Takes it in under this id, or answers as the first request did when the id's stream was begun by the same key. */
  private async receiveAs(
    id: string,
    from: Service,
    message: HookMessage,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    const at = this.clock.now();
    const { deviceIds } = (await this.bus.ask(Push.targets, {}, context)).value;
    const outcome = this.outcomes.of(id, context);
    try {
      const decide = receive({
        id,
        service: from,
        message,
        deviceIds,
        limitedBy: null,
        fingerprint: context.idempotency?.fingerprint ?? null,
        at,
      });
      const { state, events, position } = await this.log.transact(
        event,
        streamTail(id),
        (found) => {
          if (found && keyIsFree(found.receivedAt, at)) throw new KeyUsedUp();
          return decide(found);
        },
        metadataOf(context),
        { expectNew: true },
      );
      if (!state) throw new Error('An event was received without a trace');
      if (events.length === 0) return answer(await this.replay(state, at, context), position);
      if (state.deviceIds.length === 0) return answer({ eventId: id, accepted: 0 }, position);
      const settled = await outcome.settled();
      return answer({ eventId: id, accepted: settled.accepted }, settled.position ?? position);
    } finally {
      outcome.forget();
    }
  }

  /** Without a key the command itself is one, so that it can be asked again. */
  private idOf(from: Service, { commandId }: Context): string {
    return deriveId('evt', this.clock.ms(), Services.receive.subject, from.id, commandId);
  }

  /** The first answer once more. */
  private async replay(received: Received, now: Instant, context: Context): Promise<EventAccepted> {
    const { eventId, deviceIds, receivedAt } = received;
    const accepted =
      deviceIds.length === 0 ? 0 : await this.outcomes.again(eventId, receivedAt, now, context);
    return { eventId, accepted, ...(context.idempotency && { idempotent: true }) };
  }

  /** Files what came over a limit. It takes no key with it: the sender may try the same request again. */
  private async file(
    from: Service,
    message: HookMessage,
    limitedBy: NonNullable<ReceiveEvent['limitedBy']>,
    context: Context,
  ): Promise<Answer<EventAccepted>> {
    const id = this.idOf(from, context);
    const { position } = await this.log.transact(
      event,
      streamTail(id),
      receive({
        id,
        service: from,
        message,
        deviceIds: [],
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

/** There are no apps yet. A 404 would tell the sender that the URL is dead. */
function refuseUnknownApp({ appId }: HookMessage): void {
  if (appId !== undefined)
    throw new Refused('input.invalid', {
      issues: [{ path: 'appId', message: 'is not a known app', code: 'invalid_value' }],
    });
}
