import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** The canonical JSON (RFC 8785) of a value: the order of keys makes no difference. */
export function canonicalJson(value: unknown): string {
  const json = canonicalize(value);
  if (json === undefined) throw new TypeError('Only a JSON value has a fingerprint');
  return json;
}

/** SHA-256 over the canonical JSON of a value, 64 hex digits. */
export const fingerprint = (value: unknown): string =>
  createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
