/** What an error may say of itself. */
export interface ErrorFields {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly cause?: unknown;
}

/** What was thrown says of itself, whatever it is: drivers add fields of their own, and not all that is thrown is an `Error`. */
export const errorFieldsOf = (thrown: unknown): ErrorFields =>
  typeof thrown === 'object' && thrown !== null ? thrown : {};

/** The sentence of what was thrown. */
export const sentenceOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
