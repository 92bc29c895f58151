import { plainText } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { cut } from '@carillon/schema';
import { type Pushed, shownOf } from './pushed';
import { type Question, pageChoice, questionOf } from './question';

/** What both providers take at most, counted in bytes of what is sent. */
export const payloadLimit = 4096;
const pushTextLimit = 1000;
const titleLimit = 120;
/** Addresses give way before the text gets shorter than this. */
const textWorthKeeping = 400;

/** What a phone is to show, whichever provider carries it. */
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
  /** What the person is asked; null where nothing is. */
  readonly question: Question | null;
  /** The group that is paged, and which step this is; null where it is no page. */
  readonly group: { readonly id: string; readonly name: string; readonly step: number } | null;
}

export interface ApnsPayload {
  readonly aps: Readonly<Record<string, unknown>>;
  readonly carillon: Readonly<Record<string, unknown>>;
}

export type FcmData = Readonly<Record<string, string>>;

/** What a phone is shown; nothing when its text is gone with the account's key. */
export function pushOf(pushed: Pushed): Push | undefined {
  if (pushed.title === null) return undefined;
  const { id, sentAt, expiresAt } = shownOf(pushed);
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

/** A notification or event has its summary, else its body as plain text; of a prompt is shown what there is space for. */
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
        // Lets the app's service extension fetch the image and tell us that the push arrived.
        'mutable-content': 1,
        // Somebody waits for the answer: it may break through a focus.
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

/** Data only: the app builds the notification, under the tag of its id, so that it can also take it away again. */
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
 * Builds the payload so that it is never too large: the text is cut; when addresses leave too little space for it, the
 * image goes first and then the link, both of which the app can ask for by the id.
 */
function fitted<Payload>(
  push: Push,
  build: (parts: PayloadParts) => Payload,
  sizeOf: (payload: Payload) => number,
  cost: (codePoint: number) => number,
): Payload {
  const whole = build(push);
  if (sizeOf(whole) <= payloadLimit) return whole;
  const wanted = Math.min(textWorthKeeping, bytesOf(push.text, cost));
  let parts: PayloadParts = { ...push, text: '' };
  const space = (): number => payloadLimit - sizeOf(build(parts));
  if (space() < wanted) parts = { ...parts, imageUrl: null };
  if (space() < wanted) parts = { ...parts, url: null };
  return build({ ...parts, text: cutToBytes(push.text, space(), cost) });
}

/** As many code points as fit into so many bytes; what is cut ends with an ellipsis, which counts. */
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

function bytesInJson(codePoint: number): number {
  if (codePoint === 0x22 || codePoint === 0x5c) return 2;
  // \b \t \n \f \r have two letters, the other controls six.
  if (codePoint < 0x20) return codePoint >= 8 && codePoint <= 13 && codePoint !== 11 ? 2 : 6;
  return bytesInUtf8(codePoint);
}

const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');
