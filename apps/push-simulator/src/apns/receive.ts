import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http2';
import type { Exchange } from '../exchange.js';
import { unprocessed, type RequestEnd } from '../fault/fault.js';
import { object, text } from '../json.js';
import type { Environment } from '../phone/phone.js';
import { recordedHeaders, type Received } from '../received.js';
import { forcedRefusal } from './forced.js';
import { acceptance, refusalAnswer, type ApnsAnswer } from './answer.js';
import { iphoneOf, judge } from './judge.js';
import type { ConnectionTokens, ProviderTokens } from './provider-token.js';
import { apnsPush } from './push.js';
import { checkPayload, checkTarget, isRefusal, parsePayload, type ApnsRefusal } from './request.js';

/** A request as it came over the wire. */
export interface ApnsRequest {
  headers: IncomingHttpHeaders;
  /** Name, value, name, value … */
  rawHeaders: readonly string[];
  /** The beginning of the body; longer ones are refused by their size. */
  body: Buffer;
  /** Bytes of the whole body. */
  size: number;
  /** Why its provider token is not taken; undefined when it is. */
  unauthorized: ApnsRefusal | undefined;
}

/** Takes one request: meets its fault, is judged, reaches its phone, and is recorded. Says how it ends. */
export function receivePush(
  exchange: Exchange,
  { tokens, environment }: { tokens: ProviderTokens; environment: Environment },
  request: ApnsRequest,
  connection: ConnectionTokens,
): RequestEnd<ApnsAnswer> {
  const { headers, rawHeaders, body, size, unauthorized } = request;
  const now = exchange.now();
  const method = String(headers[':method']);
  const pushType = String(headers['apns-push-type'] ?? 'alert');
  const apnsId = text(headers['apns-id']) ?? randomUUID();
  const target = checkTarget(method, String(headers[':path']));
  const owner = isRefusal(target) ? undefined : exchange.phones.owner(target.token);
  const phone = iphoneOf(owner);
  const checked = checkPayload(body, size, pushType);
  const payload = isRefusal(checked) ? (size === 0 ? null : parsePayload(body)) : checked.payload;
  const fault = exchange.takeFault({
    provider: 'apns',
    phoneId: phone?.id,
    pushTypes: [pushType, text(object(object(payload)?.carillon)?.type)],
  });
  const record: Received = {
    n: phone ? exchange.received.number(phone.id) : 0,
    at: new Date(now).toISOString(),
    provider: 'apns',
    headers: recordedHeaders(headers, (header) => tokens.fingerprint(header)),
    payload,
    verdict: { status: 200, reason: null },
    shown: false,
    fault: fault?.id,
  };
  const refuse = ({ status, reason }: ApnsRefusal) => {
    record.verdict = { status, reason };
    exchange.refuse(phone, record);
  };
  const ending = (answer: ApnsAnswer): RequestEnd<ApnsAnswer> =>
    fault?.effect.cut === 'after' ? { fault, processed: true } : { fault, answer };

  const obstacle = fault && unprocessed(fault);
  if (fault && obstacle) {
    refuse({ status: 0, reason: obstacle });
    return { fault, processed: false };
  }
  const forced = fault && forcedRefusal(fault, now);
  if (forced) {
    if (forced.reason === 'ExpiredProviderToken') connection.toldExpired = true;
    refuse(forced);
    const { retryAfterSeconds } = fault.effect;
    return ending(refusalAnswer(apnsId, forced, { method, retryAfterSeconds }));
  }
  const untargeted = isRefusal(target) ? target : undefined;
  const verdict = judge(
    { headers, rawHeaders, untargeted, unauthorized, payload: checked, owner },
    { environment, bundleIds: exchange.phones.bundleIds },
  );
  if (isRefusal(verdict)) {
    refuse(verdict);
    return ending(refusalAnswer(apnsId, verdict, { method }));
  }
  const push = apnsPush(apnsId, record.n, verdict.headers, verdict.payload, verdict.owner, now);
  exchange.deliver(verdict.owner.phone, push, record);
  return ending(acceptance(apnsId, environment));
}
