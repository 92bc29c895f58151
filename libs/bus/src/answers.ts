import type { Answer } from './envelope';
import type { Link } from './link';

/** The answer exceeds the maximum message size. The request has been executed. */
export const tooLarge = 'bus.too_large';

/** An answer with its value as the JSON text that the service wrote. */
export interface AnswerText {
  readonly text: string;
  readonly position?: string;
}

/**
 * An answer in the format of Nest's own transport. The value comes last, so that the gateway can pass it on without
 * parsing it. An answer above the maximum message size could not be published, and the caller would wait until its
 * deadline; a refusal replaces it.
 */
export function answerText(
  link: Pick<Link, 'limit' | 'takes'>,
  id: unknown,
  response: unknown,
  report: (bytes: number, limit: number) => void,
): string {
  const rest = `,"isDisposed":true,"id":${JSON.stringify(id)}}`;
  const { value, position } = (response ?? {}) as Partial<Answer<unknown>>;
  const text =
    value === undefined
      ? `{"response":${JSON.stringify(response ?? null)}${rest}`
      : `{"response":{${position === undefined ? '' : `"position":${JSON.stringify(position)},`}"value":${JSON.stringify(value)}}${rest}`;
  if (link.takes(text)) return text;
  const { limit } = link;
  report(Buffer.byteLength(text), limit);
  return `{"response":${JSON.stringify({ refused: tooLarge, details: { limit } })}${rest}`;
}

const head = /^\{"response":\{(?:"position":"([0-9]+)",)?"value":/;
const tail = '},"isDisposed":true,"id":';

/** The value of an answer to this command, without parsing it; undefined for a refusal or another format. */
export function valueText(answer: string, commandId: string): AnswerText | undefined {
  const begins = head.exec(answer);
  const end = answer.length - tail.length - JSON.stringify(commandId).length - 1;
  if (!begins || !answer.startsWith(tail, end)) return undefined;
  const [{ length }, position] = begins;
  return { text: answer.slice(length, end), ...(position !== undefined && { position }) };
}
