export { canonicalJson, fingerprint } from './canonical';
export { mintCode } from './codes';
export { readCursor, signCursor } from './cursors';
export { deriveId, isId, newId, streamTail, uuidV5 } from './ids';
export { KeyRing, openWith, SealBroken, sealedBy, sealWith } from './sealing';
export { deriveSecret, hashSecret, looksLikeSecret, mintSecret } from './secrets';
export type { Minted } from './secrets';
export { signingKeyOf, signingSecretOf, signWebhook } from './webhooks';
export type { WebhookMessage } from './webhooks';
