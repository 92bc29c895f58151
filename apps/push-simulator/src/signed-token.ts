import { verify, type KeyObject } from 'node:crypto';
import { object } from './json.js';

/** A JSON web token whose signature has been looked at; claims are not judged here. */
export interface SignedToken {
  alg: unknown;
  kid: unknown;
  claims: Record<string, unknown>;
  genuine: boolean;
}

/** Takes a compact JWT apart and checks its signature, with the one algorithm that is expected. */
export function readSignedToken(
  token: string,
  algorithm: 'ES256' | 'RS256',
  key: KeyObject,
): SignedToken | undefined {
  const [head, body, signature, ...rest] = token.split('.');
  if (!head || !body || !signature || rest.length > 0) return undefined;
  try {
    const header = object(JSON.parse(Buffer.from(head, 'base64url').toString()));
    const claims = object(JSON.parse(Buffer.from(body, 'base64url').toString()));
    if (!header || !claims) return undefined;
    const genuine =
      header.alg === algorithm &&
      verify(
        'sha256',
        Buffer.from(`${head}.${body}`),
        algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key,
        Buffer.from(signature, 'base64url'),
      );
    return { alg: header.alg, kid: header.kid, claims, genuine };
  } catch {
    return undefined;
  }
}
