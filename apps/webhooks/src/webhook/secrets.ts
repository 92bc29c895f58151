import type { KeyRing } from '@carillon/signing';
import type { SavedHeader } from '@carillon/contracts';

/** Seal contexts of signing secrets and header values, which are stored sealed with the key ring. */
const secretContext = (webhookId: string): string => `webhook.secret ${webhookId}`;
const headerContext = (webhookId: string, name: string): string =>
  `webhook.header ${webhookId} ${name.toLowerCase()}`;

export const sealSecret = (ring: KeyRing, webhookId: string, secret: string): string =>
  ring.seal(secret, secretContext(webhookId));

export const openSecret = (ring: KeyRing, webhookId: string, sealed: string): string =>
  ring.open(sealed, secretContext(webhookId)).toString('utf8');

export const sealHeader = (ring: KeyRing, webhookId: string, name: string, value: string): SavedHeader => ({
  name,
  sealedValue: ring.seal(value, headerContext(webhookId, name)),
});

/** The value of a header as it is sent. */
export const openHeader = (ring: KeyRing, webhookId: string, { name, sealedValue }: SavedHeader): string =>
  ring.open(sealedValue, headerContext(webhookId, name)).toString('utf8');
