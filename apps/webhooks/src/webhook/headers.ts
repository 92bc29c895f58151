import { hiddenValue, type SavedHeader } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';

/** A header as it was sent to be saved. Without a value it keeps the one that is saved under its name. */
export interface GivenHeader {
  readonly name: string;
  readonly value?: {
    readonly sealed: string;
    /** Whether this is what is saved already, so that saving it again changes nothing. */
    readonly isSame: (saved: SavedHeader) => boolean;
  };
}

/** What the service says itself, what steers the connection, and what would pass for somebody else. */
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

/** True when the sender wants the saved value to stay. */
export const keepsValue = (value: string | undefined): boolean =>
  value === undefined || value === hiddenValue;

/**
 * The headers to save: those given, with the saved values where none was given. Names are the same whatever their case.
 * Refused `input.invalid` with what is wrong in which header.
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

/** Whether two lists go out the same way. */
export const sameHeaders = (one: readonly SavedHeader[], other: readonly SavedHeader[]): boolean =>
  one.length === other.length &&
  one.every(
    ({ name, sealedValue }, index) => other[index]?.name === name && other[index].sealedValue === sealedValue,
  );
