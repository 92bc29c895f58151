/** What came of a question to Carillon. */
export type Answer =
  | { readonly kind: 'yes'; readonly body: Fields }
  /** It will say the same again. */
  | { readonly kind: 'no'; readonly status: number; readonly code: string }
  /** Nothing is known: it cannot be reached, is busy, or said nothing that can be understood. */
  | { readonly kind: 'away'; readonly why: string };

/** An object of JSON of which nothing is known yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads an answer of the Agent API. */
export function answerOf(status: number, text: string): Answer {
  const body = fieldsOf(text);
  if (status >= 200 && status < 300)
    return body ? { kind: 'yes', body } : { kind: 'away', why: `status ${status} with no JSON` };
  // The form of the Agent API: what stands in front of it may refuse too, and may be wrong.
  const code = body?.['code'];
  const passing = status < 400 || status >= 500 || [408, 425, 429].includes(status);
  if (passing || typeof code !== 'string') return { kind: 'away', why: `status ${status}` };
  return { kind: 'no', status, code };
}

function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field that is a text. */
export const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};
