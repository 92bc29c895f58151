import { randomBytes } from 'node:crypto';
import type { Exchange } from '../exchange.js';
import { unprocessed, type RequestEnd } from '../fault/fault.js';
import { object, parse, text } from '../json.js';
import { recordedHeaders, type Received } from '../received.js';
import { answer, errorAnswer, refusalAnswer, type FcmAnswer } from './answer.js';
import type { Bearers } from './bearer.js';
import { forcedError } from './forced.js';
import { googleError, invalidJson } from './error.js';
import { androidOf, judge } from './judge.js';
import { checkMessage } from './message.js';
import { fcmPush } from './push.js';

/** A request as it came over the wire. */
export interface FcmRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

interface Google {
  bearers: Bearers;
  projectId: string;
}

const bodyKept = 16_384;

/** Takes one request, for an access token or with a message. Says how it ends. */
export function receive(exchange: Exchange, google: Google, request: FcmRequest): RequestEnd<FcmAnswer> {
  const path = request.url.split('?')[0]!;
  const { method } = request;
  if (path === '/token') {
    if (method === 'POST') return receiveAssertion(exchange, google, request);
    return { fault: undefined, answer: answer(405, { error: 'method_not_allowed' }) };
  }
  const project = /^\/v1\/projects\/([^/]+)\/messages:send$/.exec(path)?.[1];
  if (project !== undefined && method === 'POST')
    return receiveMessage(exchange, google, request, decodeURIComponentSafely(project));
  const unknown = googleError(404, 'The requested URL was not found on this server.');
  return { fault: undefined, answer: errorAnswer(unknown) };
}

function receiveAssertion(
  exchange: Exchange,
  { bearers }: Google,
  { body }: FcmRequest,
): RequestEnd<FcmAnswer> {
  const fault = exchange.takeFault({ provider: 'oauth', pushTypes: [] });
  if (fault && unprocessed(fault)) {
    exchange.received.count('oauth', false);
    return { fault, processed: false };
  }
  const { status, reason, retryAfterSeconds } = fault?.effect ?? {};
  const given =
    status !== undefined && status !== 200
      ? { status, body: { error: reason ?? 'internal_failure' } }
      : bearers.grant(new URLSearchParams(body));
  exchange.received.count('oauth', given.status === 200);
  if (fault?.effect.cut === 'after') return { fault, processed: true };
  return { fault, answer: answer(given.status, given.body, retryAfterSeconds) };
}

function receiveMessage(
  exchange: Exchange,
  { bearers, projectId }: Google,
  { url, headers, body }: FcmRequest,
  project: string,
): RequestEnd<FcmAnswer> {
  const now = exchange.now();
  const parsed = parse(body);
  const checked = parsed === undefined ? { error: invalidJson() } : checkMessage(parsed);
  const given = object(parsed)?.message;
  const token = text(object(given)?.token);
  const owner = token === undefined ? undefined : exchange.phones.owner(token);
  const phone = androidOf(owner);
  const type = text(object(object(given)?.data)?.type);
  const fault = exchange.takeFault({ provider: 'fcm', phoneId: phone?.id, pushTypes: [type] });
  const record: Received = {
    n: phone ? exchange.received.number(phone.id) : 0,
    at: new Date(now).toISOString(),
    provider: 'fcm',
    headers: recordedHeaders({ ':path': url, ...headers }, (header) => bearers.fingerprint(header)),
    payload: given ?? (parsed === undefined ? body.slice(0, bodyKept) : parsed),
    verdict: { status: 200, reason: null },
    shown: false,
    fault: fault?.id,
  };
  const refuse = ({ status, reason }: { status: number; reason: string }) => {
    record.verdict = { status, reason };
    exchange.refuse(phone, record);
  };
  const ending = (answer: FcmAnswer): RequestEnd<FcmAnswer> =>
    fault?.effect.cut === 'after' ? { fault, processed: true } : { fault, answer };

  const obstacle = fault && unprocessed(fault);
  if (fault && obstacle) {
    refuse({ status: 0, reason: obstacle });
    return { fault, processed: false };
  }
  const forced = fault && forcedError(fault);
  if (forced) {
    refuse(forced);
    return ending(errorAnswer(forced, fault.effect.retryAfterSeconds));
  }
  const unauthorized = bearers.check(text(headers.authorization));
  const verdict = judge({ project, unauthorized, checked, owner }, projectId, now);
  if ('error' in verdict) {
    refuse(verdict.error);
    return ending(refusalAnswer(verdict.error, fault?.effect.retryAfterSeconds));
  }
  const id = verdict.validateOnly ? 'fake_message_id' : `0:${now}${randomBytes(8).toString('hex')}`;
  const name = `projects/${projectId}/messages/${id}`;
  if (verdict.phone && !verdict.validateOnly) {
    exchange.deliver(verdict.phone, fcmPush(name, record.n, verdict.message, now), record);
  } else {
    record.why = verdict.validateOnly ? 'only validated' : 'no phone subscribes to topics here';
    exchange.refuse(phone, record);
  }
  return ending(answer(200, { name }));
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
