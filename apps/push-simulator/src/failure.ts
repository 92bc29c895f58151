import { object, text } from './json.js';

/** What was thrown, in words. */
export const messageOf = (thrown: unknown): string => text(object(thrown)?.message) ?? String(thrown);

/** The code of a failed call of the system; undefined for anything else. */
export const codeOf = (thrown: unknown): string | undefined => text(object(thrown)?.code);
