import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from './receiver';

type Claims = Record<string, unknown>;

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
/** With the private part: the key of every provider of a test. */
export const providerKey = {
  ...privateKey.export({ format: 'jwk' }),
  kid: 'one',
  alg: 'ES256',
  use: 'sig',
};

/** What the providers of a test know an installation as. */
export const providerClient = { id: 'carillon', secret: randomBytes(24).toString('base64url') };

/** The file of `CARILLON_OIDC_FILE`, with issuers by the ids of their providers. Give it back by `remove`. */
export function providersFile(issuers: Readonly<Record<string, string>>): { file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-providers-'));
  const [file, clientSecretFile] = [join(folder, 'providers.json'), join(folder, 'secret')];
  writeFileSync(clientSecretFile, `${providerClient.secret}\n`);
  const providers = Object.entries(issuers).map(([id, issuer]) => ({
    id,
    name: `The ${id} one`,
    issuer,
    clientId: providerClient.id,
    clientSecretFile,
  }));
  writeFileSync(file, JSON.stringify({ providers }));
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Serves HTTPS on a port that was chosen before. Gives how to stop it. */
export async function serveSecurely(
  port: number,
  { key, cert }: Authority['server'],
  listener: RequestListener,
): Promise<() => Promise<void>> {
  const server = createServer({ key, cert }, listener);
  server.on('tlsClientError', () => {});
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

/** An OpenID Connect provider that says what a test wants. It asks nobody: whoever comes is its person. */
export class IdentityProvider {
  readonly issuer: string;
  stop: () => Promise<void> = async () => {};
  metadata: 'right' | 'foreign' | 'hangs' | 'too long' | 'redirects' = 'right';
  /** Of the next identity token, besides the right ones. */
  claims: Claims = {};
  token: (claims: Claims) => Promise<string> | string = (claims) => this.signed(claims);
  private nonce: string | undefined;

  constructor(private readonly port: number) {
    this.issuer = `https://127.0.0.1:${port}`;
  }

  async start(certificate: Authority['server']): Promise<void> {
    this.stop = await serveSecurely(
      this.port,
      certificate,
      (incoming, response) => void this.answer(incoming, response),
    );
  }

  async signed(claims: Claims, key: KeyObject = privateKey): Promise<string> {
    // Loaded only here: most tests have no use for it.
    const { SignJWT } = await import('jose');
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(key);
  }

  /** Where a browser goes that was sent here. */
  callbackOf(authorization: string): string {
    const { searchParams } = new URL(authorization);
    this.nonce = searchParams.get('nonce') ?? undefined;
    const callback = new URL(searchParams.get('redirect_uri') ?? '');
    callback.search = String(new URLSearchParams({ code: 'any', state: searchParams.get('state') ?? '' }));
    return callback.href;
  }

  private async answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const json = (body: object): void =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    const [path] = url.split('?');
    if (path === '/jwks') return json({ keys: [{ ...providerKey, d: undefined }] });
    if (path === '/authorize')
      return void response.writeHead(303, { location: this.callbackOf(this.issuer + url) }).end();
    if (path === '/token') {
      const second = Math.floor(Date.now() / 1_000);
      const id_token = await this.token({
        iss: this.issuer,
        aud: providerClient.id,
        sub: 'somebody',
        iat: second,
        exp: second + 60,
        nonce: this.nonce,
        email: 'somebody@odd.example',
        email_verified: true,
        ...this.claims,
      });
      return json({ access_token: 'x', token_type: 'bearer', id_token });
    }
    if (this.metadata === 'hangs') return;
    if (this.metadata === 'redirects')
      return void response.writeHead(302, { location: 'https://10.0.0.1/' }).end();
    json({
      issuer: this.metadata === 'foreign' ? 'https://elsewhere.example' : this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...(this.metadata === 'too long' && { filler: 'x'.repeat(256 * 1024) }),
    });
  }
}
