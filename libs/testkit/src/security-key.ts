import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

// The flags of authenticator data (WebAuthn, 6.1).
const present = 0x01;
const verified = 0x04;
const withCredential = 0x40;

const base64url = (bytes: Buffer): string => bytes.toString('base64url');
const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest();

/** CBOR of what WebAuthn needs: small numbers, texts, bytes and maps. */
function cbor(value: number | string | Buffer | ReadonlyMap<number | string, unknown>): Buffer {
  const head = (major: number, size: number): Buffer => {
    if (size < 24) return Buffer.from([(major << 5) | size]);
    if (size < 256) return Buffer.from([(major << 5) | 24, size]);
    return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
  };
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, held]) => [cbor(key), cbor(held as number)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

export interface Ceremony {
  readonly challenge: string;
  /** The site that the browser shows. */
  readonly origin: string;
}

export interface KeyState {
  /** Whether the person has proved to the key who it is; default yes. */
  readonly verifies?: boolean;
  /** What the key has counted; default 0, as keys say that do not count. */
  readonly counter?: number;
}

/** A security key with one passkey, and the browser that asks it. */
export class SecurityKey {
  readonly id = base64url(randomBytes(32));
  private readonly pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private userHandle: string | undefined;

  constructor(private readonly rpId: string) {}

  /** What `PublicKeyCredential.toJSON()` gives after `navigator.credentials.create()`. */
  register({ challenge, origin, userId }: Ceremony & { readonly userId: string }, state: KeyState = {}) {
    this.userHandle = userId;
    const { x = '', y = '' } = this.pair.publicKey.export({ format: 'jwk' });
    const publicKey = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, publicKey]);
    const authData = Buffer.concat([this.authenticatorData(state, withCredential), credential]);
    const attestation = cbor(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    return {
      ...this.envelope,
      response: {
        clientDataJSON: base64url(clientData('webauthn.create', challenge, origin)),
        attestationObject: base64url(attestation),
        transports: ['internal'],
      },
    };
  }

  /** What `PublicKeyCredential.toJSON()` gives after `navigator.credentials.get()`. */
  signIn({ challenge, origin }: Ceremony, state: KeyState = {}) {
    const client = clientData('webauthn.get', challenge, origin);
    const authData = this.authenticatorData(state, 0);
    const signature = sign('sha256', Buffer.concat([authData, sha256(client)]), this.pair.privateKey);
    return {
      ...this.envelope,
      response: {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
        ...(this.userHandle !== undefined && { userHandle: this.userHandle }),
      },
    };
  }

  private get envelope() {
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key' as const,
      authenticatorAttachment: 'platform' as const,
      clientExtensionResults: {},
    };
  }

  private authenticatorData({ verifies = true, counter = 0 }: KeyState, flags: number): Buffer {
    const tail = Buffer.alloc(5);
    tail.writeUInt8(flags | present | (verifies ? verified : 0));
    tail.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(this.rpId), tail]);
  }
}

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
