import { Bus } from '@carillon/bus';
import { type AttemptError, type BegunCallback, Callbacks, type PulledMessage } from '@carillon/contracts';
import { Destinations, isNotAllowed, NameNotFound } from '@carillon/destinations';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger } from '@carillon/runtime';
import { KeyRing, signingKeyOf, signWebhook } from '@carillon/signing';
import { carried } from '@carillon/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { openHeader, openSecret } from '../webhook/secrets';
import { secretsAt, type Webhook } from '../webhook/webhook';
import { call } from './call.client';
import type { AttemptOutcome } from './reply';

export interface OutgoingMessage {
  readonly id: string;
  readonly deliveryId: string;
  readonly body: string;
  /** Its number in the endpoint's outbox; null for a test. */
  readonly sequence: number | null;
  /** When the delivery was queued, if it is lost with a connector that was removed since then. */
  readonly waitsSince?: string;
  /** The trace of the attempt; it is not sent to the receiver. */
  readonly traceparent?: string | undefined;
}

/** The delivery's connector was removed before the attempt: its host is no longer a receiver. */
export class ConnectorRemoved extends Error {
  override readonly name = 'ConnectorRemoved';
}

const withinMs = 15_000;
/** The caller's name in requests to the connectors service. */
const process = 'webhooks.replies';
const askedWithinMs = 5_000;

/** The errors of attempts that a connector refuses. */
const refusals: Readonly<Record<string, AttemptError>> = {
  'connector.disabled': 'connector_disabled',
  'destination.not_allowed': 'blocked_address',
};

/** Makes one attempt. Secrets and header values are decrypted here and nowhere else. */
@Injectable()
export class ReplySender {
  constructor(
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Failures become the outcome. Throws `ConnectorRemoved`, and the errors of the connectors service when it cannot
   * tell whether the host belongs to a connector: nothing was sent then.
   */
  async send(to: Webhook, message: OutgoingMessage): Promise<AttemptOutcome> {
    // The real time, not the installation's clock: the receiver compares it with its own.
    const timestamp = Math.floor(Date.now() / 1000);
    const through = await this.connectorOf(to, message, timestamp);
    const began = performance.now();
    const { connectorId } = through ?? {};
    const outcome = (error: AttemptError | null, more: Partial<AttemptOutcome> = {}): AttemptOutcome => ({
      responseCode: null,
      retryAfterMs: null,
      ...more,
      ...(connectorId !== undefined && { connectorId }),
      error,
      latencyMs: Math.round(performance.now() - began),
    });
    if (through && 'error' in through) return outcome(through.error);
    try {
      const url = through?.url ?? to.url;
      const reachable = await this.destinations.find(url);
      const headers = this.headersOf(to, message, timestamp, through?.signature);
      const left = withinMs - (performance.now() - began);
      const answered = await call({ url, reachable, headers, body: message.body, withinMs: left });
      return outcome(answered.error, answered);
    } catch (error) {
      if (isNotAllowed(error)) return outcome('blocked_address');
      if (error instanceof NameNotFound) return outcome('dns_error');
      this.logger.error(
        { err: error, webhookId: to.id, traceparent: message.traceparent },
        'Failed to send a reply webhook delivery: the attempt counts as failed',
      );
      return outcome('internal');
    }
  }

  /** The connector that the request goes through, or why it cannot; undefined when the host belongs to none. */
  private async connectorOf(
    { accountId, url }: Webhook,
    { deliveryId, body, traceparent, waitsSince }: OutgoingMessage,
    timestamp: number,
  ): Promise<BegunCallback | { readonly error: AttemptError; readonly connectorId: string } | undefined> {
    const context = {
      commandId: randomUUID(),
      correlationId: deliveryId,
      caller: { accountId, process },
      deadline: Date.now() + askedWithinMs,
      ...carried(traceparent),
    };
    const input = {
      deliveryId,
      url,
      timestamp,
      body: Buffer.from(body, 'utf8').toString('base64'),
      ...(waitsSince !== undefined && { waitsSince }),
    };
    try {
      const { value } = await this.bus.ask(Callbacks.begin, input, context);
      if (value && 'isRemoved' in value) throw new ConnectorRemoved('A connector was removed');
      return value ?? undefined;
    } catch (error) {
      const refusal = error instanceof Refused ? refusals[error.reason] : undefined;
      if (!(error instanceof Refused) || !refusal) throw error;
      return { error: refusal, connectorId: String(error.details['connectorId']) };
    }
  }

  private headersOf(
    to: Webhook,
    message: OutgoingMessage,
    timestamp: number,
    connectorSignature: string | undefined,
  ): Record<string, string> {
    const { body, sequence } = message;
    const saved = to.headers.map((header) => [header.name, openHeader(this.ring, to.id, header)]);
    return {
      ...this.signedHeaders(to, message, timestamp),
      'content-length': String(Buffer.byteLength(body)),
      ...(sequence !== null && { 'carillon-sequence': String(sequence) }),
      ...(connectorSignature !== undefined && { 'connector-signature': connectorSignature }),
      ...Object.fromEntries(saved),
    };
  }

  /** The headers of every message, signed with the secrets that are valid now. */
  signedHeaders(
    to: Webhook,
    { id, body }: Pick<OutgoingMessage, 'id' | 'body'>,
    timestamp: number,
  ): Omit<PulledMessage['headers'], 'carillon-sequence'> {
    const keys = secretsAt(to, this.clock.now()).map((sealed) =>
      signingKeyOf(openSecret(this.ring, to.id, sealed)),
    );
    return {
      'content-type': 'application/json',
      'user-agent': 'carillon-webhooks/1',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(keys, { id, timestamp, body }),
    };
  }
}
