import type { AttemptError } from '@carillon/contracts';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { KeyRing, signWebhook } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { Destinations, isNotAllowed, NameNotFound } from '../destination/destinations.client';
import { keyOf, openHeader, openSecret } from '../webhook/secrets';
import { secretsAt, type Webhook } from '../webhook/webhook';
import { call } from './call.client';
import type { Outcome } from './reply';

export interface Message {
  readonly id: string;
  readonly body: string;
  /** Its place among all that the endpoint ever got; null for what has none. */
  readonly sequence: number | null;
}

const withinMs = 15_000;

/** Makes one attempt. Secrets and the values of headers are opened here and nowhere else. */
@Injectable()
export class ReplySender {
  constructor(
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Never throws: what goes wrong is the outcome. */
  async send(to: Webhook, message: Message): Promise<Outcome> {
    const began = performance.now();
    const outcome = (error: AttemptError | null, more: Partial<Outcome> = {}): Outcome => ({
      responseCode: null,
      retryAfterMs: null,
      ...more,
      error,
      latencyMs: Math.round(performance.now() - began),
    });
    try {
      const reachable = await this.destinations.find(to.url);
      const headers = this.headersOf(to, message);
      const left = withinMs - (performance.now() - began);
      const answered = await call({ url: to.url, reachable, headers, body: message.body, withinMs: left });
      return outcome(answered.error, answered);
    } catch (error) {
      if (isNotAllowed(error)) return outcome('blocked_address');
      if (error instanceof NameNotFound) return outcome('dns_error');
      this.logger.error({ err: error, webhookId: to.id }, 'A reply could not be sent');
      return outcome('internal');
    }
  }

  private headersOf(to: Webhook, { id, body, sequence }: Message): Record<string, string> {
    // The receiver compares it with its own time, whatever ours is for the business.
    const timestamp = Math.floor(Date.now() / 1000);
    const keys = secretsAt(to, this.clock.now()).map((sealed) => keyOf(openSecret(this.ring, to.id, sealed)));
    const own = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'carillon-webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(keys, { id, timestamp, body }),
      ...(sequence !== null && { 'carillon-sequence': String(sequence) }),
    };
    const saved = to.headers
      .filter(({ name }) => name.toLowerCase() !== 'carillon-sequence')
      .map((header) => [header.name, openHeader(this.ring, to.id, header)]);
    return { ...own, ...Object.fromEntries(saved) };
  }
}
