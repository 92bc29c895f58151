/** What was thrown, in words. */
export const messageOf = (thrown: unknown): string =>
  isObject(thrown) && 'message' in thrown ? String(thrown.message) : String(thrown);

/** The code of a failed call of the system or of a server; undefined for anything else. */
export const codeOf = (thrown: unknown): string | undefined =>
  isObject(thrown) && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;

/** What led to it; undefined when that is not said. */
export const causeOf = (thrown: unknown): unknown =>
  isObject(thrown) && 'cause' in thrown ? thrown.cause : undefined;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
