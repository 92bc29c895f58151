import { createHash, randomBytes } from 'node:crypto';
import type { Exchange } from '../exchange.js';
import { unprocessed, type RequestEnd } from '../fault/fault.js';
import { object, parse, text } from '../json.js';
import { recordedHeaders, type Received } from '../received.js';
import type { Browsers } from './browsers.js';
import { judge } from './judge.js';
import { decrypt } from './message.js';
import { webPush } from './push.js';

/** A request as it came over the wire. */
export interface WebRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export interface WebAnswer {
  status: number;
  /** Why the push was refused; null for one that was taken. */
  reason: string | null;
  headers: Record<string, string>;
}

/** Takes one request with a message to a browser (RFC 8030). Says how it ends. */
export function receive(
  exchange: Exchange,
  browsers: Browsers,
  request: WebRequest,
  wallMs: number,
): RequestEnd<WebAnswer> {
  const { method, url, headers, body } = request;
  const now = exchange.now();
  const token = /^\/push\/([A-Za-z0-9_-]+)$/.exec(url)?.[1];
  const owner = token === undefined ? undefined : exchange.phones.owner(token);
  const phone = owner?.phone.platform === 'web' ? owner.phone : undefined;
  const clear = phone?.browser?.keys && decrypt(body, phone.browser.keys);
  const message = parse(clear);
  const kind = text(object(object(object(message)?.notification)?.data)?.kind);
  const fault = exchange.takeFault({ provider: 'web', phoneId: phone?.id, pushTypes: [kind] });
  const record: Received = {
    n: phone ? exchange.received.number(phone.id) : 0,
    at: new Date(now).toISOString(),
    provider: 'web',
    headers: recordedHeaders({ ':path': url, ...headers }, fingerprint),
    // The clear text, as the browser hands it to the worker; of a real browser nobody else has it.
    payload: message ?? clear ?? null,
    verdict: { status: 201, reason: null },
    shown: false,
    fault: fault?.id,
  };
  const refuse = (status: number, reason: string) => {
    record.verdict = { status, reason };
    exchange.refuse(phone, record);
  };
  const ending = (status: number, reason: string | null): RequestEnd<WebAnswer> => {
    const seconds = fault?.effect.retryAfterSeconds;
    const more: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
    return fault?.effect.cut === 'after'
      ? { fault, processed: true }
      : { fault, answer: { status, reason, headers: more } };
  };

  const obstacle = fault && unprocessed(fault);
  if (fault && obstacle) {
    refuse(0, obstacle);
    return { fault, processed: false };
  }
  const forced = fault?.effect.status;
  if (forced !== undefined && forced !== 201) {
    const reason = fault?.effect.reason ?? `Simulated ${forced}`;
    refuse(forced, reason);
    return ending(forced, reason);
  }
  const verdict = judge({ method, headers, size: body.length, clear, phone, owner }, wallMs);
  if ('refused' in verdict) {
    refuse(verdict.status, verdict.refused);
    return ending(verdict.status, verdict.refused);
  }
  verdict.browser.serverKey ??= verdict.serverKey;
  if (verdict.browser.channel) {
    browsers.deliver(verdict.phone, verdict, body, record);
    return ending(201, null);
  }
  const id = randomBytes(12).toString('base64url');
  exchange.deliver(verdict.phone, webPush(id, record.n, message, verdict, now), record);
  return ending(201, null);
}

/** A short mark that tells tokens apart in a record without keeping them. */
const fingerprint = (header: string) =>
  `vapid sha256:${createHash('sha256').update(header).digest('hex').slice(0, 16)}`;
