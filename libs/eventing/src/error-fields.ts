/** The fields that a thrown value may have. */
export interface ErrorFields {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly cause?: unknown;
}

/** The fields of any thrown value: drivers add fields of their own, and not every thrown value is an `Error`. */
export const errorFieldsOf = (thrown: unknown): ErrorFields =>
  typeof thrown === 'object' && thrown !== null ? thrown : {};

/** The message of a thrown value. */
export const sentenceOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
