import { isObject, text } from '../json.js';

/** What APNs says no with. */
export interface ApnsRefusal {
  status: number;
  reason: string;
  /** Since when the token is dead, in milliseconds; with 410 only. */
  timestamp?: number;
}

/** The headers of a push that passed the checks. */
export interface PushHeaders {
  apnsId: string | undefined;
  topic: string;
  bundleId: string;
  pushType: string;
  priority: number;
  /** Epoch seconds; 0 = one try and never stored; undefined = the provider's own limit. */
  expiration: number | undefined;
  collapseId: string | undefined;
}

type Headers = Record<string, string | string[] | undefined>;

const topicSuffixes: Record<string, string> = {
  liveactivity: '.push-type.liveactivity',
  voip: '.voip',
  complication: '.complication',
  fileprovider: '.pushkit.fileprovider',
  location: '.location-query',
  pushtotalk: '.voip-ptt',
  controls: '.push-type.controls',
  widgets: '.push-type.widgets',
};
const pushTypes = new Set(['alert', 'background', 'mdm', ...Object.keys(topicSuffixes)]);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const refuse = (reason: string, status = 400): ApnsRefusal => ({ status, reason });

/** True when a check said no. */
export const isRefusal = (value: object): value is ApnsRefusal => 'reason' in value;

/** The device token that a request addresses, or why there is none. */
export function checkTarget(method: string, path: string): { token: string } | ApnsRefusal {
  if (method !== 'POST') return refuse('MethodNotAllowed', 405);
  if (path === '/3/device' || path === '/3/device/') return refuse('MissingDeviceToken');
  const match = /^\/3\/device\/([^/?#]+)$/.exec(path);
  if (!match) return refuse('BadPath', 404);
  // Token length is not fixed: activity tokens are longer than those of the device.
  if (!/^(?:[0-9a-f]{2}){1,200}$/i.test(match[1]!)) return refuse('BadDeviceToken');
  return { token: match[1]!.toLowerCase() };
}

/** Judges the headers of a push. `rawHeaders` are name, value, name, value … as they came. */
export function checkHeaders(
  headers: Headers,
  rawHeaders: readonly string[],
  bundleIds: ReadonlySet<string>,
): PushHeaders | ApnsRefusal {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (seen.has(name) && name !== 'cookie') return refuse('DuplicateHeaders');
    seen.add(name);
  }
  const header = (name: string) => text(headers[name]);

  const apnsId = header('apns-id');
  if (apnsId !== undefined && !uuid.test(apnsId)) return refuse('BadMessageId');

  const pushType = header('apns-push-type') ?? 'alert';
  if (!pushTypes.has(pushType)) return refuse('InvalidPushType');

  const topic = header('apns-topic');
  if (!topic) return refuse('MissingTopic');
  if (!/^[A-Za-z0-9.-]{1,255}$/.test(topic)) return refuse('BadTopic');
  const suffix = topicSuffixes[pushType] ?? '';
  const foreign = Object.values(topicSuffixes).find((other) => other !== suffix && topic.endsWith(other));
  if (!topic.endsWith(suffix) || foreign) return refuse('BadTopic');
  const bundleId = suffix ? topic.slice(0, -suffix.length) : topic;
  if (!bundleIds.has(bundleId)) return refuse('TopicDisallowed');

  const priority = header('apns-priority') ?? '10';
  if (!['10', '5', '1'].includes(priority)) return refuse('BadPriority');
  if (pushType === 'background' && priority !== '5') return refuse('BadPriority');
  if (pushType === 'liveactivity' && priority === '1') return refuse('BadPriority');

  const expiration = header('apns-expiration');
  if (expiration !== undefined && !/^\d{1,12}$/.test(expiration)) return refuse('BadExpirationDate');

  const collapseId = header('apns-collapse-id');
  // Node gives header bytes one to a character, so the length is the number of bytes.
  if (collapseId !== undefined && collapseId.length > 64) return refuse('BadCollapseId');

  return {
    apnsId,
    topic,
    bundleId,
    pushType,
    priority: Number(priority),
    expiration: expiration === undefined ? undefined : Number(expiration),
    collapseId: collapseId || undefined,
  };
}

/** The largest payload of a push type, in encoded bytes. */
const payloadLimit = (pushType: string): number => (pushType === 'voip' ? 5120 : 4096);

/** Judges a payload by its encoded size, then reads it. */
export function checkPayload(
  body: Buffer,
  size: number,
  pushType: string,
): { payload: Record<string, unknown> } | ApnsRefusal {
  if (size === 0) return refuse('PayloadEmpty');
  if (size > payloadLimit(pushType)) return refuse('PayloadTooLarge', 413);
  const payload = parsePayload(body);
  // Apple names no reason for a payload that is no JSON object; to it, nothing usable was sent.
  return isObject(payload) ? { payload } : refuse('PayloadEmpty');
}

/** The body as JSON where it is, else as text; for the record of what was received. */
export function parsePayload(body: Buffer): unknown {
  const text = body.toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
