import type {
  AnsweredStatus,
  InteractionAsked,
  InteractionEnded,
  ReplyEventType,
  WebhookPreset,
} from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';

/** A prompt as a receiver may see it, without the person who answered and the URLs of picture and link. */
export interface SentInteraction {
  readonly id: string;
  readonly kind: InteractionAsked['kind'];
  readonly status: AnsweredStatus | 'expired' | 'canceled';
  readonly response: string | null;
  readonly title: string;
  readonly prompt: string;
  readonly choices: readonly string[];
  readonly actionDigest: string;
  readonly serviceId: string | null;
  readonly projectId: string | null;
  readonly respondedAt: Instant | null;
  readonly canceledAt: Instant | null;
  readonly expiresAt: Instant;
  readonly createdAt: Instant;
}

/** The message to a receiver. */
export interface ReplyMessage {
  readonly type: ReplyEventType;
  /** When it happened. */
  readonly timestamp: Instant;
  readonly interaction: SentInteraction;
  readonly test: boolean;
}

const maxBytes = 20 * 1024;
const maxCharacters = 4_000;

/** The event type and time of a prompt's end. */
export function endOf(ended: InteractionEnded): { type: ReplyEventType; at: Instant } {
  switch (ended.type) {
    case 'InteractionAnswered':
      return { type: 'interaction.answered', at: ended.answeredAt };
    case 'InteractionExpired':
      return { type: 'interaction.expired', at: ended.expiredAt };
    case 'InteractionCanceled':
      return { type: 'interaction.canceled', at: ended.canceledAt };
  }
}

/** The message about a prompt's end; undefined when its text is unreadable since the account's key was deleted. */
export function toldOf(asked: InteractionAsked, ended: InteractionEnded): ReplyMessage | undefined {
  const { title, prompt, choices } = asked;
  if (title === null || prompt === null || choices === null) return undefined;
  const { type, at } = endOf(ended);
  const isAnswered = ended.type === 'InteractionAnswered';
  return {
    type,
    timestamp: at,
    interaction: {
      id: asked.interactionId,
      kind: asked.kind,
      status: isAnswered ? ended.status : type === 'interaction.expired' ? 'expired' : 'canceled',
      response: isAnswered ? beginning(ended.response ?? '', maxCharacters) : null,
      title,
      prompt: beginning(prompt, maxCharacters),
      choices,
      actionDigest: asked.actionDigest,
      serviceId: asked.serviceId,
      projectId: asked.projectId,
      respondedAt: isAnswered ? at : null,
      canceledAt: ended.type === 'InteractionCanceled' ? at : null,
      expiresAt: asked.expiresAt,
      createdAt: asked.askedAt,
    },
    test: false,
  };
}

/** The message of a test. */
export function sample(type: ReplyEventType, interactionId: string, at: Instant): ReplyMessage {
  const isAnswered = type === 'interaction.answered';
  return {
    type,
    timestamp: at,
    interaction: {
      id: interactionId,
      kind: 'approval',
      status: isAnswered ? 'approved' : type === 'interaction.expired' ? 'expired' : 'canceled',
      response: isAnswered ? 'approved' : null,
      title: 'A test from Carillon',
      prompt: 'Nobody was asked: this only shows that events arrive.',
      choices: ['approve', 'deny'],
      actionDigest: `sha256:${'0'.repeat(64)}`,
      serviceId: null,
      projectId: null,
      respondedAt: isAnswered ? at : null,
      canceledAt: type === 'interaction.canceled' ? at : null,
      expiresAt: at,
      createdAt: at,
    },
    test: true,
  };
}

/** The body in the endpoint's preset, 20 KiB at most. */
export function bodyOf(preset: WebhookPreset, told: ReplyMessage): string {
  const write = { generic, grok, slack }[preset];
  const whole = write(told);
  const over = Buffer.byteLength(whole) - maxBytes;
  if (over <= 0) return whole;
  // The prompt is cut, not the answer: the sender can read the prompt, but the receiver waits for the answer.
  const { interaction } = told;
  const prompt = withinBytes(interaction.prompt, bytesInJson(interaction.prompt) - over);
  return write({ ...told, interaction: { ...interaction, prompt } });
}

// ------------------------------------------------------------------------------------------------- generic

const generic = ({ type, timestamp, interaction, test }: ReplyMessage): string =>
  JSON.stringify({ type, timestamp, data: { interaction }, test });

// ---------------------------------------------------------------------------------------------------- grok

function grok({ type, timestamp, interaction, test }: ReplyMessage): string {
  const { id, kind, status, response, title, prompt, actionDigest, projectId } = interaction;
  return JSON.stringify({
    type,
    timestamp,
    message: `The prompt "${title}" ${sentences[status]}`,
    interaction: { id, kind, status, response, title, prompt, actionDigest, projectId },
    test,
  });
}

/** Fixed texts only: text that a person has typed is in `interaction.response` and nowhere else. */
const sentences: Readonly<Record<SentInteraction['status'], string>> = {
  approved: 'was approved. Continue the task that asked for it.',
  denied: 'was denied. Do not do what it asked for.',
  yes: 'was answered with yes. Continue the task that asked for it.',
  no: 'was answered with no. Continue the task that asked for it.',
  replied: 'was answered with a text. Continue the task that asked for it.',
  expired: 'expired without an answer. Nobody has decided on it.',
  canceled: 'was canceled before anybody had answered. Nobody has decided on it.',
};

// --------------------------------------------------------------------------------------------------- slack

/** Slack refuses the whole message when a text is longer than its maximum. */
const maxInSection = 3_000;
const maxInField = 2_000;

function slack({ timestamp, interaction, test }: ReplyMessage): string {
  const { id, kind, status, response } = interaction;
  const title = escaped(interaction.title);
  const fields = [
    ...(response === null ? [] : [mrkdwn(`*Answer*\n${escapedWithin(response, maxInField - 9)}`)]),
    mrkdwn(`*Kind*\n${kind}`),
  ];
  const heading = `*${title}*\n`;
  const seconds = timestamp.replace(/\.\d+Z$/, 'Z');
  return JSON.stringify({
    text: `${headers[status]}: ${title}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: headers[status] } },
      {
        type: 'section',
        text: mrkdwn(`${heading}${escapedWithin(interaction.prompt, maxInSection - heading.length)}`),
      },
      { type: 'section', fields },
      { type: 'context', elements: [mrkdwn(`${id} · ${seconds}${test ? ' · test' : ''}`)] },
    ],
  });
}

const headers: Readonly<Record<SentInteraction['status'], string>> = {
  approved: 'Approved',
  denied: 'Denied',
  yes: 'Yes',
  no: 'No',
  replied: 'Replied',
  expired: 'Expired',
  canceled: 'Canceled',
};

const mrkdwn = (text: string): { type: 'mrkdwn'; text: string } => ({ type: 'mrkdwn', text });

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escaped so that the text cannot mention a channel or a person, or fake a link. */
const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => entities[sign]!);

/** Escaped, and cut between two characters when it is too long. */
function escapedWithin(text: string, most: number): string {
  const whole = escaped(text);
  if (whole.length <= most) return whole;
  let kept = '';
  for (const character of text) {
    const next = escaped(character);
    if (kept.length + next.length > most - 1) break;
    kept += next;
  }
  return `${kept}…`;
}

// ----------------------------------------------------------------------------------------------------- cut

/** The first `most` code points. */
function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  let units = 0;
  for (let count = 0; count < most && units < text.length; count += 1)
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  return text.slice(0, units);
}

const bytesInJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** The longest beginning that takes at most `most` bytes of JSON. */
function withinBytes(text: string, most: number): string {
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    bytes += bytesInJson(character);
    if (bytes > most) break;
    units += character.length;
  }
  return text.slice(0, units);
}
