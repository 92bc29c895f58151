import { object, text } from '../json.js';

/** Button labels: a list of texts, or of objects with a label. */
export function labelsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry: unknown) => text(entry) ?? text(object(entry)?.label) ?? []);
}
