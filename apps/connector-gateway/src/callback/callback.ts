import { isId, isSameText, signWebhook } from '@carillon/signing';
import type { IncomingHttpHeaders } from 'node:http';
import { type CarillonAnswer, textIn } from '../carillon/answer';

const prefix = '/.well-known/carillon-callback/';

/** The delivery that a path is for. */
export const deliveryAt = (path: string): string | undefined =>
  path.startsWith(prefix) ? path.slice(prefix.length) : undefined;

/** What a callback says of itself. */
export interface CallbackClaim {
  readonly deliveryId: string;
  readonly timestamp: number;
  readonly signature: string;
}

/** Reads the headers of a callback; undefined when Carillon would not have sent it like this. */
export function claimIn(deliveryId: string, headers: IncomingHttpHeaders): CallbackClaim | undefined {
  const [signature, timestamp] = [headers['connector-signature'], headers['webhook-timestamp']];
  if (!isId(deliveryId, 'cbd') || typeof signature !== 'string' || typeof timestamp !== 'string')
    return undefined;
  if (!/^\d{1,12}$/.test(timestamp) || !/^v1,\S+( v1,\S+)*$/.test(signature) || signature.length > 1024)
    return undefined;
  return { deliveryId, timestamp: Number(timestamp), signature };
}

/** True when the secret that the program was given has signed it. False may mean that Carillon has a newer one. */
export function isSigned(
  key: Buffer,
  { deliveryId: id, timestamp, signature }: CallbackClaim,
  body: Buffer,
): boolean {
  const own = signWebhook([key], { id, timestamp, body: body.toString('utf8') });
  return signature.split(' ').some((each) => isSameText(each, own));
}

/** Where a callback goes that Carillon allows. */
export interface Allowed {
  /** The route that takes it; null is none. */
  readonly route: string | null;
  /** As it was saved: the public path and query. */
  readonly path: string;
}

export function allowedBy(answer: CarillonAnswer): Allowed | undefined {
  if (answer.kind !== 'yes' || answer.body['allowed'] !== true) return undefined;
  const path = textIn(answer.body, 'path');
  return path === undefined ? undefined : { route: textIn(answer.body, 'route') ?? null, path };
}
