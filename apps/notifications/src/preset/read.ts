import { HookMessage, type ServicePreset, type Severity } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { check, cut, normalised } from '@carillon/schema';
import type { Service } from '../service/service';
import { alertmanager } from './alertmanager';
import { auto } from './auto';
import {
  decoded,
  insistOnShallow,
  isForm,
  isUtf8,
  jsonObject,
  mediaType,
  payloadOf,
  unsupported,
} from './body';
import { gatus } from './gatus';
import { github } from './github';
import { gitlab } from './gitlab';
import { grafana } from './grafana';
import { healthchecks } from './healthchecks';
import { readPlain } from './plain';
import { type AlertState, type Draft, type Fields, keyOf, type Unread, type Preset } from './preset';
import { sentry } from './sentry';
import { stripe } from './stripe';
import { uptimeKuma } from './uptime-kuma';

/** A request to the URL of a service. */
export interface HookRequest {
  readonly contentType?: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/** An event that a payload makes. */
export interface Reading {
  readonly message: HookMessage;
  readonly state: AlertState;
  /** Printable ASCII, 200 characters at most. */
  readonly dedupKey: string | null;
  readonly severity: Severity | null;
  /** The same for each repetition of the request; null where the sender gives no means to tell one. */
  readonly once: string | null;
  /** `once` tells a state that may come back: it is a repetition only until another state of its key has come. */
  readonly mayRecur?: boolean;
  readonly withoutPush?: boolean;
  readonly onlyResolves?: boolean;
  readonly notes?: readonly Unread[];
}

const presets: Readonly<Record<Exclude<ServicePreset, 'plain'>, Preset>> = {
  auto,
  alertmanager,
  grafana,
  github,
  gitlab,
  sentry,
  stripe,
  'uptime-kuma': uptimeKuma,
  healthchecks,
  gatus,
};

/**
 * Reads a request by the preset of its service; at least one event. Refused `input.invalid` with the path of what does
 * not fit, `hook.not_json` or `hook.unsupported_media_type`.
 */
export function read(
  { preset, eventsPer }: Pick<Service, 'preset' | 'eventsPer'>,
  { contentType, headers, payload }: HookRequest,
): readonly Reading[] {
  if (preset !== 'plain') {
    const fields = insistOnShallow(fieldsOf(contentType, payload));
    return presets[preset]({ fields, headers }, eventsPer).map(finished);
  }
  const plain = readPlain(contentType, payload);
  return 'message' in plain
    ? [{ message: plain.message, state: 'none', dedupKey: null, severity: null, once: null }]
    : auto({ fields: insistOnShallow(plain.fields), headers }, eventsPer).map(finished);
}

/** The JSON object of a tool, whichever media type it has: not every tool names the right one. */
function fieldsOf(contentType: string | undefined, raw: Buffer): Fields {
  const { type, charset } = mediaType(contentType ?? '');
  if (!isUtf8(charset) || type.startsWith('multipart/')) throw unsupported();
  return (isForm(type) ? payloadOf(new URLSearchParams(decoded(raw))) : undefined) ?? jsonObject(raw);
}

/** Brings the texts of a draft within the limits of a message. */
function finished({ title, body, url, isCode, dedupKey, ...draft }: Draft): Reading {
  const heading = cut(normalised(cleaned(title ?? '').replace(/\s+/g, ' ')), maxTitle);
  const text = normalised(cleaned(body));
  const link = linkIn(url);
  const result = check(HookMessage, {
    ...(heading !== '' && { title: heading }),
    body: isCode ? codeBlock(text) : cut(text, maxBody) || heading || 'No text',
    ...(link !== undefined && { url: link }),
    ...(isCode && { bodyFormat: 'markdown' }),
  });
  if (!result.ok) throw new Refused('input.invalid', { issues: result.issues });
  return { ...draft, message: result.value, dedupKey: labelOf(dedupKey) };
}

const maxTitle = 120;
const maxBody = 8_000;
const maxCode = 2_000;
/** More than any text of a message has after it was brought to its normal form. */
const maxRead = 24_000;

/** Control characters, and marks that change the direction of a text: with them it could be shown as another one. */
const unwanted = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const cleaned = (text: string): string =>
  text
    .slice(0, maxRead)
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(unwanted, '')
    .replace(loneSurrogate, '\ufffd');

/** Code as Markdown, within a fence that the text cannot close. */
function codeBlock(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(Math.min(longest, maxCode) + 1);
  return `${fence}json\n${cut(text, maxCode)}\n${fence}`;
}

/** A link that a tap may open; undefined for any other text. */
function linkIn(url: string | undefined): string | undefined {
  if (url === undefined || !/^https?:\/\//i.test(url)) return undefined;
  return check(HookMessage, { body: '-', url }).ok ? url : undefined;
}

const maxLabel = 200;

/** A key as it may stand in a page: shown as it is where that is possible, else its hash. */
const labelOf = (key: string | null): string | null =>
  key === null || (key.length <= maxLabel && /^[!-~](?:[ -~]*[!-~])?$/.test(key)) ? key : keyOf(key);
