/** What was thrown, in words. */
export const messageOf = (thrown: unknown): string =>
  isObject(thrown) && 'message' in thrown ? String(thrown.message) : String(thrown);

/** The code of a failed call of the system; undefined for anything else. */
export const codeOf = (thrown: unknown): unknown =>
  isObject(thrown) && 'code' in thrown ? thrown.code : undefined;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
