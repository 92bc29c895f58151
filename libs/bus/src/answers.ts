import type { Answer } from './envelope';
import type { Link } from './link';

/** What was answered is larger than one message may be. Whatever was to be done has been done. */
export const tooLarge = 'bus.too_large';

/** An answer before its value is read: as JSON text, as the service has written it. */
export interface AnswerText {
  readonly text: string;
  readonly position?: string;
}

/**
 * An answer as Nest's own transport writes it. The value comes last, so that who only passes it on need not read it. One
 * that is larger than the server takes could not be published, and who asked would wait for it until the deadline; a
 * refusal goes in its place.
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

/** The value of an answer to this command without reading it; undefined when it is none, or written in another way. */
export function valueText(answer: string, commandId: string): AnswerText | undefined {
  const begins = head.exec(answer);
  const end = answer.length - tail.length - JSON.stringify(commandId).length - 1;
  if (!begins || !answer.startsWith(tail, end)) return undefined;
  const [{ length }, position] = begins;
  return { text: answer.slice(length, end), ...(position !== undefined && { position }) };
}
