/** True for an object that is no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value as an object that is no list; undefined for anything else. */
export const object = (value: unknown): Record<string, unknown> | undefined =>
  isObject(value) ? value : undefined;

/** The value as a text; undefined for anything else. */
export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The value as a finite number; undefined for anything else. */
export const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** JSON read; undefined when it is none. */
export function parse(content: string | undefined): unknown {
  if (content === undefined) return undefined;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
