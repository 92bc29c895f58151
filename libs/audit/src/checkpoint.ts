import { canonicalJson } from '@carillon/signing';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** A signature of the installation over an entry's hash, and so over all that came before it. */
export interface Checkpoint {
  /** The public key: `x` of its JWK. */
  readonly key: string;
  /** Ed25519, base64url. */
  readonly signature: string;
}

/** What is signed. */
export interface Signed {
  readonly teamId: string;
  readonly sequence: number;
  readonly hash: string;
  readonly at: string;
}

export interface AuditKey {
  readonly privateKey: KeyObject;
  /** `x` of its JWK. */
  readonly publicKey: string;
}

export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly use: 'sig';
  readonly alg: 'EdDSA';
  readonly kid: string;
  readonly x: string;
}

// The ASN.1 that stands before the 32 bytes of a private key in PKCS #8 (RFC 8410).
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Private keys as `CARILLON_AUDIT_KEY` has them: base64 of 32 bytes each, the newest first, which signs. */
export const readAuditKeys = (text: string): readonly [AuditKey, ...AuditKey[]] => {
  const [newest = '', ...older] = text.split(',');
  return [readKey(newest), ...older.map(readKey)];
};

function readKey(text: string): AuditKey {
  const seed = Buffer.from(text.trim(), 'base64');
  if (seed.length !== 32)
    throw new Error('The setting CARILLON_AUDIT_KEY must be base64 of exactly 32 bytes, the newest first');
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
  return { privateKey, publicKey: String(createPublicKey(privateKey).export({ format: 'jwk' }).x) };
}

/** As RFC 7638 has it. */
const thumbprint = (x: string): string =>
  createHash('sha256')
    .update(canonicalJson({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

/** How others are told of a key. */
export const jwkOf = ({ publicKey: x }: Pick<AuditKey, 'publicKey'>): PublicJwk => ({
  kty: 'OKP',
  crv: 'Ed25519',
  use: 'sig',
  alg: 'EdDSA',
  kid: thumbprint(x),
  x,
});

const bytesOf = ({ teamId, sequence, hash, at }: Signed): Buffer =>
  Buffer.from(canonicalJson({ type: 'carillon.audit.checkpoint', version: 1, teamId, sequence, hash, at }));

export const signCheckpoint = ({ privateKey, publicKey }: AuditKey, signed: Signed): Checkpoint => ({
  key: publicKey,
  signature: sign(null, bytesOf(signed), privateKey).toString('base64url'),
});

/** Whether the owner of the key that it names has signed this. Whose key that is, others must tell. */
export function isSignedBy({ key: x, signature }: Checkpoint, signed: Signed): boolean {
  if (!isExact(x, 32) || !isExact(signature, 64)) return false;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, bytesOf(signed), key, Buffer.from(signature, 'base64url'));
}

/** Base64url in its only form: the last character has bits that say nothing. */
function isExact(text: string, length: number): boolean {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === length && bytes.toString('base64url') === text;
}
