/** The outcome of a request to Carillon. */
export type CarillonAnswer =
  | { readonly kind: 'yes'; readonly body: AnswerFields }
  /** A refusal; a retry gets the same answer. */
  | { readonly kind: 'no'; readonly status: number; readonly code: string }
  /** The rate limit of the token is used up. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }
  /** No usable answer: Carillon is unreachable, or its answer is invalid. */
  | { readonly kind: 'away'; readonly why: string };

/** The default wait after a 429 that names none. */
const usualPauseSeconds = 5;
const longestPauseSeconds = 60;

/** A JSON object that is not validated yet. */
export type AnswerFields = Readonly<Record<string, unknown>>;

/** Reads an answer of the Agent API. */
export function answerOf(status: number, text: string, retryAfter: string | null = null): CarillonAnswer {
  if (status === 429) {
    const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : usualPauseSeconds;
    return { kind: 'busy', retryAfterSeconds: Math.min(Math.max(seconds, 1), longestPauseSeconds) };
  }
  const body = fieldsOf(text);
  if (status >= 200 && status < 300)
    return body ? { kind: 'yes', body } : { kind: 'away', why: `status ${status} with no JSON` };
  // Only errors in the form of the Agent API count as refusals: a proxy before it may fail in its own form.
  const code = body?.['code'];
  const passing = status < 400 || status >= 500 || [408, 425].includes(status);
  if (passing || typeof code !== 'string') return { kind: 'away', why: `status ${status}` };
  return { kind: 'no', status, code };
}

/** Of an answer about many sessions, what it says about each: the same about all where it is not one. */
export function answersIn(answer: CarillonAnswer, count: number): readonly CarillonAnswer[] {
  const sessions = answer.kind === 'yes' ? answer.body['sessions'] : undefined;
  const understood = Array.isArray(sessions) && sessions.length === count;
  return Array.from({ length: count }, (_, index) => {
    if (answer.kind !== 'yes') return answer;
    return answerAbout(understood ? sessions[index] : undefined);
  });
}

function answerAbout(one: unknown): CarillonAnswer {
  if (isFields(one) && one['allowed'] === true) return { kind: 'yes', body: one };
  const code = isFields(one) && one['allowed'] === false ? textIn(one, 'code') : undefined;
  return code === undefined
    ? { kind: 'away', why: 'an answer that is not understood' }
    : { kind: 'no', status: 403, code };
}

function fieldsOf(text: string): AnswerFields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is AnswerFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text field. */
export const textIn = (fields: AnswerFields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};
