import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Carillon } from '../carillon/carillon.client';
import type { ServedConnector } from '../carillon/connector';
import * as refusals from '../refusal/refusal';
import { readAddress } from '../routing/address';
import { findRoute, pathAt, type Route } from '../routing/route';
import { Allowance } from '../session/allowance';
import { allowedBy, claimIn, isSigned } from './callback';

/** A callback that may be forwarded to the app once. */
export interface Delivery {
  readonly body: Buffer;
  readonly route: Route;
  readonly host: string;
  readonly target: URL;
  readonly path: string;
}

const largest = 64 * 1024;
/** Limits the checks of callbacks that the local secret has not signed; the secret may have been rotated. */
const unsignedPerMinute = 10;

/** Accepts the deliveries of reply webhooks that Carillon sends through the connector. */
export class Callbacks {
  private readonly unsigned = new Allowance(unsignedPerMinute);

  constructor(
    private readonly carillon: Carillon,
    private readonly key: Buffer,
    private readonly log: Logger,
  ) {}

  /** Reads the request and has Carillon decide. Carillon allows each attempt once. */
  async take(
    request: IncomingMessage,
    deliveryId: string,
    connector: ServedConnector,
  ): Promise<Delivery | refusals.AnsweredRefusal> {
    if (request.method !== 'POST') return refusals.methodNotAllowed;
    const claim = claimIn(deliveryId, request.headers);
    if (!claim) return refusals.callbackInvalid;
    const body = await bodyOf(request);
    if (!body) return refusals.bodyTooLarge;
    const signed = isSigned(this.key, claim, body);
    if (!signed && !this.unsigned.take()) return refusals.callbackInvalid;
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const answer = await this.carillon.callback({ ...claim, bodySha256 });
    if (answer.kind === 'busy') return refusals.busy(answer.retryAfterSeconds);
    if (answer.kind === 'away') return refusals.carillonAway(this.carillon.awaySeconds);
    if (answer.kind === 'no') return this.refused(answer.code);
    const allowed = allowedBy(answer);
    if (!allowed) return refusals.carillonAway(this.carillon.awaySeconds);
    if (!signed)
      this.log.warn({ deliveryId }, 'Callbacks are signed with a newer secret: configure the rotated secret');
    const address = readAddress(allowed.path);
    if ('why' in address) return refusals.unfitAddress(address.status, address.why);
    // Refused also where another route matches more closely: it has not opened its path for this callback.
    const found = findRoute(connector.routes, address);
    if (!found || found.route.name !== allowed.route || !URL.canParse(found.route.target))
      return refusals.noRoute;
    if (!connector.enabled || found.route.enabled === false) return refusals.disabled;
    const target = new URL(found.route.target);
    return {
      body,
      route: found.route,
      host: found.host,
      target,
      path: pathAt(target, found.rest, address.query),
    };
  }

  private refused(code: string): refusals.AnsweredRefusal {
    if (code === 'CALLBACK_INVALID') return refusals.callbackInvalid;
    if (code === 'CONNECTOR_DISABLED') return refusals.disabled;
    this.log.error({ code }, 'Carillon rejected a callback check: the callback is refused');
    return refusals.notWelcome;
  }
}

/** The whole body; undefined when it is larger than any that Carillon sends. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop must not destroy the connection, as the answer still needs it.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length > largest) return undefined;
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
