import type { PastEvent } from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';

/** Whether a field is a credential, derived from one, or a key. `tokenId` only names a token and is none. */
const isSecret = (field: string): boolean =>
  /hash|secret|sealed|wrapped|password|token$|^installId$/i.test(field);

/** An event as its account may see it, without secrets and values derived from them at any depth. */
export const pastEvent = ({ type, at, event }: Recorded): PastEvent => {
  const { type: _, ...data } = event;
  return { type, at, data: withoutSecrets(data) as object };
};

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const shown = Object.entries(value).filter(([field]) => !isSecret(field));
  return Object.fromEntries(shown.map(([field, inner]) => [field, withoutSecrets(inner)]));
}
