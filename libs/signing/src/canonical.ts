import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** SHA-256 over the canonical JSON (RFC 8785) of a value, 64 hex digits. The order of keys makes no difference. */
export function fingerprint(value: unknown): string {
  const json = canonicalize(value);
  if (json === undefined) throw new TypeError('Only a JSON value has a fingerprint');
  return createHash('sha256').update(json, 'utf8').digest('hex');
}
