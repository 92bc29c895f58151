import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  exportPKCS8,
  generateKeyPair,
  importPKCS8,
  type JWK,
  SignJWT,
} from 'jose';
import type { Route } from '../routing/route';
import type { Grant } from '../session/grant-state';

const algorithm = 'EdDSA';
const livesSeconds = 60;

/** Asserts the visitor to the app behind the gateway: JWTs, signed with a key of the gateway's own. */
export class Assertions {
  private constructor(
    private readonly key: CryptoKey,
    private readonly jwk: JWK & { readonly kid: string },
  ) {}

  /** With the key in a file, which is made when it is not there; without one, with a new key at each start. */
  static async with(file: string | undefined): Promise<Assertions> {
    const key = file === undefined ? await newKey() : await keyIn(file);
    const { kty, crv, x } = await exportJWK(key);
    const known = { kty, crv, x } as JWK;
    return new Assertions(key, {
      ...known,
      kid: await calculateJwkThumbprint(known),
      alg: algorithm,
      use: 'sig',
    });
  }

  /** What the app checks them with. */
  get keys(): { readonly keys: readonly JWK[] } {
    return { keys: [this.jwk] };
  }

  sign({ user, appId }: Grant, { name: route, url }: Route, at: Date): Promise<string> {
    const seconds = Math.floor(at.getTime() / 1000);
    const { id, ...disclosed } = user;
    return new SignJWT({ ...disclosed, route, ...(appId !== null && { app_id: appId }) })
      .setProtectedHeader({ alg: algorithm, kid: this.jwk.kid, typ: 'JWT' })
      .setIssuer(new URL(url).origin)
      .setAudience(url)
      .setSubject(id)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + livesSeconds)
      .sign(this.key);
  }
}

const newKey = async (): Promise<CryptoKey> =>
  (await generateKeyPair(algorithm, { crv: 'Ed25519', extractable: true })).privateKey;

async function keyIn(file: string): Promise<CryptoKey> {
  try {
    return await importPKCS8(readFileSync(file, 'utf8'), algorithm, { extractable: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      throw new Error(`${file} holds no Ed25519 key (PEM, PKCS #8)`, { cause: error });
  }
  const key = await newKey();
  mkdirSync(dirname(file), { recursive: true });
  // Never over one that another process has made meanwhile.
  writeFileSync(file, await exportPKCS8(key), { mode: 0o600, flag: 'wx' });
  return key;
}
