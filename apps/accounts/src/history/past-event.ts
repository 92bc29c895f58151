import type { PastEvent } from '@carillon/contracts';
import type { Recorded } from '@carillon/eventing';

/** Fields that prove who somebody is, are made from what does, or are keys; `tokenId` names a token and is none. */
const isSecret = (field: string): boolean =>
  /hash|secret|sealed|wrapped|password|token$|^installId$/i.test(field);

/** An event as its account may have it. What is a secret, or made from one, is left out wherever it stands in it. */
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
