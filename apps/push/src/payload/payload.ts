import { plainText } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { cut } from '@carillon/schema';
import { type Pushed, displayOf } from './pushed';
import { type Question, pageChoice, questionOf } from './question';

/** The maximum payload size of both providers, in bytes as sent. */
export const payloadLimit = 4096;
const pushTextLimit = 1000;
const titleLimit = 120;
/** URLs are dropped before the text is cut below this length. */
const textWorthKeeping = 400;

/** The content of a push, independent of the provider. */
export interface Push {
  readonly type: 'notification' | 'prompt' | 'page';
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
  readonly imageUrl: string | null;
  /** The web app that a tap opens. */
  readonly appId: string | null;
  readonly threadId: string | null;
  readonly sentAt: Instant;
  readonly expiresAt: Instant;
  /** The question to the person; null when there is none. */
  readonly question: Question | null;
  /** The paged group and the step; null unless the push is a page. */
  readonly group: { readonly id: string; readonly name: string; readonly step: number } | null;
}

export interface ApnsPayload {
  readonly aps: Readonly<Record<string, unknown>>;
  readonly carillon: Readonly<Record<string, unknown>>;
}

export type FcmData = Readonly<Record<string, string>>;

/** The content to show; undefined when the text is unreadable because the account's key was deleted. */
export function pushOf(pushed: Pushed): Push | undefined {
  if (pushed.title === null) return undefined;
  const { id, sentAt, expiresAt } = displayOf(pushed);
  return {
    id,
    title: cut(wellFormed(pushed.title), titleLimit),
    url: pushed.url,
    imageUrl: pushed.type === 'PageNotified' ? null : pushed.imageUrl,
    appId: pushed.type === 'InteractionAsked' ? null : (pushed.appId ?? null),
    sentAt,
    expiresAt,
    ...contentOf(pushed),
  };
}

/**
 * A notification or event shows its summary, else its body as plain text; a prompt shows as much of its text as fits.
 */
function contentOf(pushed: Pushed): Pick<Push, 'type' | 'text' | 'threadId' | 'question' | 'group'> {
  if (pushed.type === 'PageNotified') {
    const name = wellFormed(pushed.groupName ?? '');
    return {
      type: 'page',
      text: cut(wellFormed(pushed.body ?? name), pushTextLimit),
      threadId: pushed.groupId,
      question: pageChoice,
      group: { id: pushed.groupId, name, step: pushed.step },
    };
  }
  if (pushed.type === 'InteractionAsked')
    return {
      type: 'prompt',
      text: wellFormed(pushed.prompt ?? ''),
      threadId: pushed.projectId ?? pushed.serviceId,
      question: questionOf(pushed),
      group: null,
    };
  const body = pushed.body ?? '';
  const plain = pushed.bodyFormat === 'markdown' ? plainText(body) || body : body;
  const summary = pushed.type === 'NotificationSent' ? pushed.summary : null;
  return {
    type: 'notification',
    text: cut(wellFormed(summary ?? plain), pushTextLimit),
    threadId: pushed.type === 'NotificationSent' ? pushed.projectId : pushed.serviceId,
    question: null,
    group: null,
  };
}

export function apnsAlert(push: Push): ApnsPayload {
  return fitted(
    push,
    ({ title, text, url, imageUrl }) => ({
      aps: {
        alert: { title, body: text },
        sound: 'default',
        ...(push.threadId !== null && { 'thread-id': push.threadId }),
        // Lets the app's service extension fetch the image and report that the push arrived.
        'mutable-content': 1,
        // A sender waits for the answer, so the push may break through a Focus.
        ...(push.question && {
          category: push.question.category,
          'interruption-level': 'time-sensitive',
        }),
      },
      carillon: {
        type: push.type,
        id: push.id,
        ...(push.question && {
          actions: push.question.actions,
          ...(push.question.actionDigest !== null && {
            actionDigest: push.question.actionDigest,
            expiresAt: push.expiresAt,
          }),
        }),
        ...(push.group && {
          groupId: push.group.id,
          groupName: push.group.name,
          escalationStep: push.group.step,
        }),
        ...(push.appId !== null && { appId: push.appId }),
        ...(url !== null && { url }),
        ...(imageUrl !== null && { imageUrl }),
      },
    }),
    (payload) => Buffer.byteLength(JSON.stringify(payload)),
    bytesInJson,
  );
}

/** Data only: the app builds the notification, tagged with its id, so that the app can also remove it. */
export function fcmAlert(push: Push): FcmData {
  return fitted(
    push,
    ({ title, text, url, imageUrl }) => ({
      type: push.type,
      id: push.id,
      title,
      body: text,
      ...(push.question && {
        category: push.question.category,
        actions: JSON.stringify(push.question.actions),
        ...(push.question.actionDigest !== null && { actionDigest: push.question.actionDigest }),
      }),
      ...(push.group && {
        groupId: push.group.id,
        groupName: push.group.name,
        escalationStep: String(push.group.step),
      }),
      ...(push.appId !== null && { appId: push.appId }),
      ...(url !== null && { url }),
      ...(imageUrl !== null && { imageUrl }),
      sentAt: push.sentAt,
      expiresAt: push.expiresAt,
    }),
    (data) => {
      let size = 0;
      for (const [key, value] of Object.entries(data))
        size += Buffer.byteLength(key) + Buffer.byteLength(value);
      return size;
    },
    bytesInUtf8,
  );
}

export const apnsWithdrawal = (id: string): ApnsPayload => ({
  aps: { 'content-available': 1 },
  carillon: { type: 'withdraw', id },
});

export const fcmWithdrawal = (id: string, sentAt: Instant): FcmData => ({ type: 'withdraw', id, sentAt });

interface PayloadParts {
  readonly title: string;
  readonly text: string;
  readonly url: string | null;
  readonly imageUrl: string | null;
}

/**
 * Builds a payload within the size limit: the text is cut; when the URLs leave too little space for it, first the image
 * and then the link is dropped. The app can fetch both by the id.
 */
export function fitted<Payload>(
  push: Push,
  build: (parts: PayloadParts) => Payload,
  sizeOf: (payload: Payload) => number,
  cost: (codePoint: number) => number,
  limit = payloadLimit,
): Payload {
  const whole = build(push);
  if (sizeOf(whole) <= limit) return whole;
  const wanted = Math.min(textWorthKeeping, bytesOf(push.text, cost));
  let parts: PayloadParts = { ...push, text: '' };
  const space = (): number => limit - sizeOf(build(parts));
  if (space() < wanted) parts = { ...parts, imageUrl: null };
  if (space() < wanted) parts = { ...parts, url: null };
  return build({ ...parts, text: cutToBytes(push.text, space(), cost) });
}

/** As many code points as fit into `limit` bytes; a cut text ends with an ellipsis, which counts. */
function cutToBytes(text: string, limit: number, cost: (codePoint: number) => number): string {
  const ellipsis = '…';
  const reserve = bytesOf(ellipsis, cost);
  let used = 0;
  let kept = 0;
  let at = 0;
  for (const character of text) {
    used += cost(character.codePointAt(0)!);
    if (used > limit) return reserve > limit ? '' : `${text.slice(0, kept).trimEnd()}${ellipsis}`;
    at += character.length;
    if (used + reserve <= limit) kept = at;
  }
  return text;
}

function bytesOf(text: string, cost: (codePoint: number) => number): number {
  let bytes = 0;
  for (const character of text) bytes += cost(character.codePointAt(0)!);
  return bytes;
}

const bytesInUtf8 = (codePoint: number): number =>
  codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;

export function bytesInJson(codePoint: number): number {
  if (codePoint === 0x22 || codePoint === 0x5c) return 2;
  // JSON escapes \b \t \n \f \r with two characters, other control characters with six.
  if (codePoint < 0x20) return codePoint >= 8 && codePoint <= 13 && codePoint !== 11 ? 2 : 6;
  return bytesInUtf8(codePoint);
}

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
