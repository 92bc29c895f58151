import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import type { Agent } from 'node:https';
import { askForToken, audience } from './token-endpoint';

/** The fields that we read from a service account file. */
export interface ServiceAccount {
  readonly project_id: string;
  readonly client_email: string;
  readonly private_key: string;
}

/** Google rejected the service account, or its answer is malformed. */
export class CredentialRefused extends Error {
  override readonly name = 'CredentialRefused';
}

interface AccessToken {
  readonly access_token: string;
  readonly expires_in: number;
}

const scope = 'https://www.googleapis.com/auth/firebase.messaging';
const earlyMs = 5 * 60_000;

/**
 * Exchanges the service account for access tokens. The library's own credential requests five scopes and does not
 * use the given agent.
 */
export class GoogleCredential {
  private readonly key: KeyObject;
  private token: { value: AccessToken; until: number } | undefined;
  private asking: Promise<AccessToken> | undefined;

  constructor(
    private readonly account: ServiceAccount,
    private readonly agent: Agent,
  ) {
    this.key = createPrivateKey(account.private_key);
  }

  /** Concurrent calls share one exchange. Throws `CredentialRefused`, or the error that prevented the request. */
  async getAccessToken(): Promise<AccessToken> {
    const { token } = this;
    if (token && token.until > Date.now())
      return { ...token.value, expires_in: Math.floor((token.until + earlyMs - Date.now()) / 1000) };
    this.asking ??= this.exchange().finally(() => (this.asking = undefined));
    return this.asking;
  }

  private async exchange(): Promise<AccessToken> {
    const now = Math.floor(Date.now() / 1000);
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: this.account.client_email, scope, aud: audience, iat: now, exp: now + 3600 };
    const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
    const signature = sign('RSA-SHA256', Buffer.from(signed), this.key).toString('base64url');
    const { status, answer } = await askForToken(`${signed}.${signature}`, this.agent);
    if (status >= 500 || status === 429)
      throw Object.assign(new Error(`The token endpoint answered ${status}`), { code: 'token_endpoint' });
    if (status !== 200 || typeof answer.access_token !== 'string' || typeof answer.expires_in !== 'number')
      throw new CredentialRefused(typeof answer.error === 'string' ? answer.error : `status ${status}`);
    const value = { access_token: answer.access_token, expires_in: answer.expires_in };
    this.token = { value, until: Date.now() + value.expires_in * 1000 - earlyMs };
    return value;
  }
}
