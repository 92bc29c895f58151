import { hiddenValue, type SavedHeader } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';

/** A header of a request to save. Without a value it keeps the saved value of its name. */
export interface GivenHeader {
  readonly name: string;
  readonly value?: {
    readonly sealed: string;
    /** Whether the saved value is the same, so that nothing changes. */
    readonly isSame: (saved: SavedHeader) => boolean;
  };
}

/** Headers that the service sets, that control the connection, or that would fake another sender. */
const refusedNames = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'keep-alive',
  'cookie',
  'forwarded',
  'user-agent',
  'connector-signature',
]);
const refusedBeginnings = ['proxy-', 'sec-', 'webhook-', 'x-forwarded-', 'carillon-'];

export function isRefusedName(name: string): boolean {
  const lower = name.toLowerCase();
  return refusedNames.has(lower) || refusedBeginnings.some((beginning) => lower.startsWith(beginning));
}

/** True when the request keeps the saved value. */
export const keepsValue = (value: string | undefined): boolean =>
  value === undefined || value === hiddenValue;

/**
 * The headers to save: the given ones, with saved values where none was given. Names are case-insensitive. Refused
 * `input.invalid` with the issues of each header.
 */
export function mergedHeaders(
  given: readonly GivenHeader[],
  saved: readonly SavedHeader[],
): readonly SavedHeader[] {
  const seen = new Set<string>();
  const issues: { path: string; message: string; code: string }[] = [];
  const merged: SavedHeader[] = [];
  for (const [index, { name, value }] of given.entries()) {
    const lower = name.toLowerCase();
    const before = saved.find((header) => header.name.toLowerCase() === lower);
    if (isRefusedName(name))
      issues.push({
        path: `headers.${index}.name`,
        message: 'must not be a header that the service sets itself',
        code: 'invalid_value',
      });
    if (seen.has(lower))
      issues.push({ path: `headers.${index}.name`, message: 'must not be there twice', code: 'not_unique' });
    seen.add(lower);
    if (value === undefined && !before)
      issues.push({
        path: `headers.${index}.value`,
        message: 'is required: no value is saved for this URL',
        code: 'required',
      });
    const keeps = before && (value === undefined || value.isSame(before));
    if (keeps) merged.push({ name, sealedValue: before.sealedValue });
    else if (value) merged.push({ name, sealedValue: value.sealed });
  }
  if (issues.length > 0) throw new Refused('input.invalid', { issues });
  return merged;
}

/** Whether two lists send the same headers. */
export const sameHeaders = (one: readonly SavedHeader[], other: readonly SavedHeader[]): boolean =>
  one.length === other.length &&
  one.every(
    ({ name, sealedValue }, index) => other[index]?.name === name && other[index].sealedValue === sealedValue,
  );
