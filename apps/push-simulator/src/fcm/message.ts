import { isObject, object } from '../json.js';
import { googleError, type GoogleError } from './error.js';

/** A message that passed the checks, in the spelling of the wire (snake case). */
export interface FcmMessage {
  token?: string;
  topic?: string;
  condition?: string;
  data?: Record<string, string>;
  notification?: Record<string, unknown>;
  android?: Record<string, unknown>;
  [other: string]: unknown;
}

interface Violation {
  field: string;
  description: string;
}

const weeks4 = 2_419_200;
const messageFields = new Set(
  'name data notification android webpush apns fcm_options token topic condition'.split(' '),
);
const androidFields = new Set(
  (
    'collapse_key priority ttl restricted_package_name data notification fcm_options direct_boot_ok ' +
    'bandwidth_constrained_ok restricted_satellite_ok'
  ).split(' '),
);

const malformed = (violations: Violation[]): GoogleError =>
  googleError(400, violations.map((violation) => violation.description).join('\n'), [
    { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
  ]);

const rejected = (field: string, description: string): GoogleError =>
  googleError(400, description, [
    {
      '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
      errorCode: 'INVALID_ARGUMENT',
    },
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field, description }],
    },
  ]);

// Protobuf JSON takes both spellings of a name; what follows knows only one.
const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const snakeKeys = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).map(([name, entry]) => [snake(name), entry]));

/** Judges the body of a send request. */
export function checkMessage(
  body: unknown,
): { message: FcmMessage; validateOnly: boolean } | { error: GoogleError } {
  if (!isObject(body)) return { error: googleError(400, 'Invalid JSON payload received.') };
  const unknownName = (name: string, path: string) => ({
    field: path,
    description: `Invalid JSON payload received. Unknown name "${name}"${path ? ` at '${path}'` : ''}: Cannot find field.`,
  });
  const request = snakeKeys(body);
  const violations: Violation[] = [];
  for (const name of Object.keys(request))
    if (name !== 'message' && name !== 'validate_only') violations.push(unknownName(name, ''));
  if (!isObject(request.message)) {
    return { error: violations[0] ? malformed(violations) : rejected('message', 'Message is not set.') };
  }
  const message = snakeKeys(request.message) as FcmMessage;
  for (const name of Object.keys(message))
    if (!messageFields.has(name)) violations.push(unknownName(name, 'message'));
  if (message.android !== undefined) {
    if (!isObject(message.android)) {
      violations.push({
        field: 'message.android',
        description: "Invalid value at 'message.android' (type.googleapis.com/AndroidConfig).",
      });
    } else {
      message.android = snakeKeys(message.android);
      for (const name of Object.keys(message.android))
        if (!androidFields.has(name)) violations.push(unknownName(name, 'message.android'));
      if (isObject(message.android.notification))
        message.android.notification = snakeKeys(message.android.notification);
    }
  }
  for (const name of ['token', 'topic', 'condition'])
    if (message[name] !== undefined && typeof message[name] !== 'string')
      violations.push({
        field: `message.${name}`,
        description: `Invalid value at 'message.${name}' (TYPE_STRING), ${JSON.stringify(message[name])}`,
      });
  for (const [path, map] of dataMaps(message)) {
    if (!isObject(map)) {
      violations.push({ field: path, description: `Invalid value at '${path}' (Map)` });
      continue;
    }
    Object.values(map).forEach((value, index) => {
      if (typeof value !== 'string')
        violations.push({
          field: `${path}[${index}].value`,
          description: `Invalid value at '${path}[${index}].value' (TYPE_STRING), ${JSON.stringify(value)}`,
        });
    });
  }
  if (violations.length > 0) return { error: malformed(violations) };

  const targets = ['token', 'topic', 'condition'].filter((name) => message[name] !== undefined);
  if (targets.length === 0) return { error: rejected('message', 'Recipient of the message is not set.') };
  if (targets.length > 1)
    return {
      error: malformed(
        targets.slice(1).map((name) => ({
          field: 'message',
          description: `Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set '${name}'`,
        })),
      ),
    };

  for (const [path, map] of dataMaps(message)) {
    for (const key of Object.keys(object(map) ?? {})) {
      if (key === 'from' || key === 'message_type' || /^(google|gcm)/.test(key))
        return { error: rejected(`${path}[${key}]`, `Invalid data payload key: ${key}`) };
    }
  }

  const android = message.android ?? {};
  if (android.ttl !== undefined) {
    const seconds =
      typeof android.ttl === 'string' ? /^(-?\d+(?:\.\d{1,9})?)s$/.exec(android.ttl)?.[1] : undefined;
    if (seconds === undefined)
      return {
        error: malformed([
          {
            field: 'message.android.ttl',
            description: `Invalid value at 'message.android.ttl' (type.googleapis.com/google.protobuf.Duration), ${JSON.stringify(android.ttl)}`,
          },
        ]),
      };
    if (Number(seconds) < 0 || Number(seconds) > weeks4)
      return {
        error: rejected(
          'message.android.ttl',
          `Invalid value for ttl: must be between 0 and ${weeks4} seconds (4 weeks)`,
        ),
      };
  }
  if (android.priority !== undefined && !/^(normal|high)$/i.test(String(android.priority)))
    return {
      error: malformed([
        {
          field: 'message.android.priority',
          description: `Invalid value at 'message.android.priority' (AndroidMessagePriority), ${JSON.stringify(android.priority)}`,
        },
      ]),
    };
  if (android.collapse_key !== undefined && typeof android.collapse_key !== 'string')
    return {
      error: malformed([
        {
          field: 'message.android.collapse_key',
          description: "Invalid value at 'message.android.collapse_key' (TYPE_STRING)",
        },
      ]),
    };

  const limit = message.token === undefined ? 2048 : 4096;
  if (payloadSize(message) > limit)
    return { error: rejected('message', `Message is too big: the limit is ${limit} bytes`) };
  return { message, validateOnly: request.validate_only === true };
}

const dataMaps = (message: FcmMessage): [string, unknown][] => {
  const maps: [string, unknown][] = [];
  if (message.data !== undefined) maps.push(['message.data', message.data]);
  if (isObject(message.android) && message.android.data !== undefined)
    maps.push(['message.android.data', message.android.data]);
  return maps;
};

/** The data that reaches the app: what is meant for Android, else for all. */
export const dataOf = ({ android, data }: FcmMessage): Record<string, string> =>
  isTexts(android?.data) ? android.data : (data ?? {});

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((entry) => typeof entry === 'string');

/** Keys and values of data and notification, in bytes. */
function payloadSize(message: FcmMessage): number {
  let size = 0;
  for (const [key, value] of Object.entries(dataOf(message)))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  for (const part of [message.notification, message.android?.notification])
    if (isObject(part)) size += Buffer.byteLength(JSON.stringify(part));
  return size;
}

/** Seconds that FCM keeps a message for a phone which is away. */
export function storageSeconds(message: FcmMessage): number {
  const ttl = message.android?.ttl;
  return typeof ttl === 'string' ? Number(ttl.slice(0, -1)) : weeks4;
}

/** True for a text that could be a registration token; others are refused before any look-up. */
export const looksLikeToken = (token: string): boolean => /^[\w-]{8,}:[\w-]{100,}$/.test(token);
