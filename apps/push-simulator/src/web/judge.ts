import { readSignedToken } from '../signed-token.js';
import type { Browser, Phone } from '../phone/phone.js';
import type { TokenOwner } from '../phone/phones.js';
import { publicKeyOf } from './message.js';

/** What of a request is judged. */
export interface JudgedRequest {
  method: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  size: number;
  /** The decrypted message; undefined when the browser cannot read it, and for a real one, which alone could. */
  clear: string | undefined;
  phone: Phone | undefined;
  owner: TokenOwner | undefined;
}

/** A push that the service takes. */
export interface WebAccepted {
  phone: Phone;
  browser: Browser;
  serverKey: string;
  seconds: number;
  topic: string | undefined;
}

interface Refusal {
  status: number;
  refused: string;
}

const bodyLimit = 4096;
const longestSeconds = 24 * 60 * 60;
const topicForm = /^[A-Za-z0-9_-]{1,32}$/;

/** Judges a push as push services do. The first check that fails gives the reason. */
export function judge(
  { method, headers, size, clear, phone, owner }: JudgedRequest,
  wallMs: number,
): WebAccepted | Refusal {
  const refused = (status: number, reason: string): Refusal => ({ status, refused: reason });
  if (method !== 'POST') return refused(405, 'MethodNotAllowed');
  if (!phone?.browser) return refused(404, 'UnknownSubscription');
  const { browser } = phone;
  if (owner?.deadSince !== undefined) return refused(410, 'Unsubscribed');
  if (size > bodyLimit) return refused(413, 'PayloadTooLarge');
  const [, token, serverKey] =
    /^vapid t=([^\s,]+), ?k=([A-Za-z0-9_-]+)$/.exec(String(headers.authorization ?? '')) ?? [];
  if (token === undefined || serverKey === undefined) return refused(401, 'MissingAuthorization');
  const unauthorized = unauthorizedBy(
    token,
    serverKey,
    String(headers.host ?? headers[':authority']),
    wallMs,
  );
  if (unauthorized !== undefined) return refused(403, unauthorized);
  // A subscription is bound to the key that it was made with: of a simulated browser, to the first that is seen.
  if (browser.serverKey !== undefined && browser.serverKey !== serverKey)
    return refused(403, 'VapidPkHashMismatch');
  const { ttl, urgency, topic } = headers;
  if (typeof ttl !== 'string' || !/^\d{1,10}$/.test(ttl)) return refused(400, 'BadTtl');
  if (headers['content-encoding'] !== 'aes128gcm') return refused(400, 'BadContentEncoding');
  if (urgency !== undefined && !/^(very-low|low|normal|high)$/.test(String(urgency)))
    return refused(400, 'BadUrgency');
  if (topic !== undefined && !topicForm.test(String(topic))) return refused(400, 'BadTopic');
  if (clear === undefined && browser.keys) return refused(400, 'UndecryptableMessage');
  return {
    phone,
    browser,
    serverKey,
    seconds: Number(ttl),
    topic: topic === undefined ? topic : String(topic),
  };
}

/** Why a VAPID token (RFC 8292) is not taken; undefined when it is. */
function unauthorizedBy(token: string, serverKey: string, host: string, wallMs: number): string | undefined {
  const key = publicKeyOf(serverKey);
  const read = key && readSignedToken(token, 'ES256', key);
  if (!read?.genuine) return 'BadJwtToken';
  const { aud, exp, sub } = read.claims;
  if (aud !== `https://${host}`) return 'BadAudience';
  const now = wallMs / 1000;
  if (typeof exp !== 'number' || exp <= now || exp > now + longestSeconds) return 'BadExpiry';
  if (typeof sub !== 'string' || !/^(mailto:|https:)/.test(sub) || /localhost/.test(sub)) return 'BadSubject';
  return undefined;
}
