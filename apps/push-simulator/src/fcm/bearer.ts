import { createHash, createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { readSignedToken } from '../signed-token.js';
import { googleError, type GoogleError } from './error.js';

/** An OAuth answer, success or not. */
export interface TokenAnswer {
  status: number;
  body: Record<string, unknown>;
}

interface Bearer {
  expiresAt: number;
  scopes: string[];
}

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const audience = 'https://oauth2.googleapis.com/token';
const enough = [
  'https://www.googleapis.com/auth/firebase.messaging',
  'https://www.googleapis.com/auth/cloud-platform',
];
const clockSkew = 60;

/**
 * The OAuth side of FCM: takes signed assertions, gives access tokens, and knows them again by their seal. An access
 * token carries its own end and a seal, so that one given before a restart still counts after it, as Google's do.
 */
export class Bearers {
  private issued = 0;

  constructor(
    private readonly options: {
      email: string;
      publicKey: KeyObject;
      secret: string;
      lifetimeSeconds: number;
      now: () => number;
    },
  ) {}

  /** Answers a POST to the token endpoint. */
  grant(form: URLSearchParams): TokenAnswer {
    if (form.get('grant_type') !== jwtBearer)
      return refused('unsupported_grant_type', `Invalid grant_type: ${form.get('grant_type') ?? ''}`);
    const read = readSignedToken(form.get('assertion') ?? '', 'RS256', this.options.publicKey);
    if (!read) return refused('invalid_grant', 'Bad JWT.');
    const { iss, aud, iat, exp, scope } = read.claims;
    const now = this.options.now() / 1000;
    if (iss !== this.options.email) return refused('invalid_grant', 'Invalid grant: account not found');
    if (!read.genuine) return refused('invalid_grant', 'Invalid JWT Signature.');
    if (aud !== audience) return refused('invalid_grant', 'Invalid JWT: Failed audience check.');
    if (
      typeof iat !== 'number' ||
      typeof exp !== 'number' ||
      exp - iat > 3600 ||
      exp <= now ||
      iat > now + clockSkew
    )
      return refused(
        'invalid_grant',
        'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.',
      );
    if (typeof scope !== 'string' || !scope.trim())
      return refused('invalid_scope', 'Empty or missing scope not allowed.');
    const expiresAt = this.options.now() + this.options.lifetimeSeconds * 1000;
    const body = Buffer.from(
      JSON.stringify({ n: ++this.issued, expiresAt, scopes: scope.split(/\s+/) }),
    ).toString('base64url');
    return {
      status: 200,
      body: {
        access_token: `ya29.${body}.${this.seal(body)}`,
        expires_in: this.options.lifetimeSeconds,
        token_type: 'Bearer',
      },
    };
  }

  /** Judges the authorization header of a send. Undefined means that it is good. */
  check(header: string | undefined): GoogleError | undefined {
    const token = /^bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
    if (!token)
      return unauthenticated(
        'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
        'CREDENTIALS_MISSING',
      );
    const bearer = this.unseal(token);
    if (!bearer || bearer.expiresAt <= this.options.now())
      return unauthenticated(
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
        bearer ? 'ACCESS_TOKEN_EXPIRED' : 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
      );
    if (!bearer.scopes.some((scope) => enough.includes(scope)))
      return googleError(403, 'Request had insufficient authentication scopes.', [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
          domain: 'googleapis.com',
        },
      ]);
    return undefined;
  }

  /** A short mark that tells tokens apart in a record without keeping them. */
  fingerprint(header: string): string {
    return `Bearer sha256:${createHash('sha256').update(header.slice(7)).digest('hex').slice(0, 16)}`;
  }

  private unseal(token: string): Bearer | undefined {
    const [kind, body, seal] = token.split('.');
    if (kind !== 'ya29' || !body || !seal) return undefined;
    const expected = Buffer.from(this.seal(body));
    const given = Buffer.from(seal);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as Bearer;
  }

  private seal(body: string): string {
    return createHmac('sha256', this.options.secret).update(body).digest('base64url');
  }
}

const refused = (error: string, description: string): TokenAnswer => ({
  status: 400,
  body: { error, error_description: description },
});

const unauthenticated = (message: string, reason: string): GoogleError =>
  googleError(401, message, [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'googleapis.com' },
  ]);
