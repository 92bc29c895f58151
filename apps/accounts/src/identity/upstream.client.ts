import { Destinations } from '@carillon/destinations';
import { Refused } from '@carillon/eventing';
import { Clock, LOGGER, type Logger, setting } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';
import { exchange } from '../outgoing/exchange.client';
import { derived } from './derived';
import type { Identified } from './person';
import { type Provider, providersOf } from './providers';

/** Key sets of large providers are the longest of what is read. */
const maxBytes = 128 * 1024;
/** How long the metadata of a provider is kept. Its keys are read again when a token names an unknown one. */
const keptMs = 60 * 60_000;
const callbackPath = '/api/session/login/oidc/callback';

/** The provider is away, slow, at an address that is not allowed, or answers something that is no answer. */
class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

interface Known {
  readonly atMs: number;
  readonly configuration: Promise<Configuration>;
}

/** Speaks with the OpenID Connect providers of `CARILLON_OIDC_FILE`, by the package `openid-client`. */
@Injectable()
export class Upstream {
  readonly providers = providersOf(setting('CARILLON_OIDC', '{"providers":[]}'), (path) =>
    readFileSync(path, 'utf8'),
  );
  private readonly callback = setting('CARILLON_BASE_URL').replace(/\/+$/, '') + callbackPath;
  private readonly known = new Map<string, Known>();

  constructor(
    @Inject(Destinations) private readonly destinations: Destinations,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Refused `identity.unknown_provider`. */
  provider(id: string): Provider {
    const found = this.providers.find((each) => each.id === id);
    if (!found) throw new Refused('identity.unknown_provider');
    return found;
  }

  /** Where a browser goes to sign in. Refused `identity.provider_unavailable`. */
  async authorizationUrl(provider: Provider, secret: string): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const url = buildAuthorizationUrl(await this.configurationOf(provider), {
      redirect_uri: this.callback,
      scope: 'openid email profile',
      state: derived(secret, 'state'),
      nonce: derived(secret, 'nonce'),
      code_challenge: await calculatePKCECodeChallenge(derived(secret, 'verifier')),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Whom the provider has sent back. Refused `identity.provider_refused` when it says an error instead,
   * `identity.login_failed` when something is wrong with its answer, and `identity.provider_unavailable`.
   */
  async identify(provider: Provider, secret: string, query: string): Promise<Identified> {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    const configuration = await this.configurationOf(provider);
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(`${this.callback}?${query}`), {
        expectedState: derived(secret, 'state'),
        expectedNonce: derived(secret, 'nonce'),
        pkceCodeVerifier: derived(secret, 'verifier'),
        idTokenExpected: true,
      });
      const signed = tokens.claims();
      if (!signed) throw new Error('There is no identity token');
      // Not every provider puts the address into the token.
      const isElsewhere =
        signed['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
      const claims = isElsewhere
        ? await fetchUserInfo(configuration, tokens.access_token, signed.sub)
        : signed;
      return {
        issuer: signed.iss,
        subject: signed.sub,
        email: claims['email'],
        emailVerified: claims['email_verified'] === true,
        name: claims['name'],
      };
    } catch (error) {
      throw this.refusalOf(error, provider);
    }
  }

  private configurationOf(provider: Provider): Promise<Configuration> {
    const known = this.known.get(provider.id);
    if (known && this.clock.ms() - known.atMs < keptMs) return known.configuration;
    const configuration = this.discover(provider).catch((error: unknown) => {
      this.known.delete(provider.id);
      this.logger.warn(
        { err: error, provider: provider.id },
        'Failed to read the metadata of an OpenID Connect provider: nobody can sign in with it',
      );
      throw new Refused('identity.provider_unavailable');
    });
    this.known.set(provider.id, { atMs: this.clock.ms(), configuration });
    return configuration;
  }

  /** Loaded with the first sign-in: an installation without providers does not pay for it. */
  private async discover({ issuer, clientId, clientSecret }: Provider): Promise<Configuration> {
    const { ClientSecretBasic, ClientSecretPost, customFetch, discovery, enableNonRepudiationChecks } =
      await import('openid-client');
    const [basic, post] = [ClientSecretBasic(clientSecret), ClientSecretPost(clientSecret)];
    const authenticate: ClientAuth = (server, ...rest) => {
      const { token_endpoint_auth_methods_supported: methods } = server;
      const isPost = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
      return (isPost ? post : basic)(server, ...rest);
    };
    const fetch: CustomFetch = (url, { method, headers, body }) =>
      this.fetch(url, method, headers, body === undefined || body === null ? undefined : String(body));
    return discovery(new URL(issuer), clientId, undefined, authenticate, {
      // The signature is checked although the token comes from the provider itself.
      execute: [enableNonRepudiationChecks],
      [customFetch]: fetch,
    });
  }

  private async fetch(
    url: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<Response> {
    const answered = await exchange(this.destinations, url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      maxBytes,
    }).catch((error: unknown) => {
      throw new Unreachable('There is no answer', { cause: error });
    });
    const { status, text } = answered;
    if (!(status >= 200 && status < 300) && !(status >= 400 && status < 500))
      throw new Unreachable(`The answer is ${status}`);
    const type = answered.headers['content-type'];
    return new Response(text === '' ? null : text, {
      status,
      ...(type !== undefined && { headers: { 'content-type': type } }),
    });
  }

  private refusalOf(error: unknown, { id: provider }: Provider): Refused {
    const reason = reasonOf(error);
    const told = { err: error, provider, reason };
    if (reason === 'identity.provider_unavailable')
      this.logger.warn(told, 'Failed to ask an OpenID Connect provider who a person is');
    else this.logger.info(told, 'Refused the answer of an OpenID Connect provider');
    return new Refused(reason);
  }
}

function reasonOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof Unreachable) return 'identity.provider_unavailable';
  const { name } = error as { name?: unknown };
  return name === 'AuthorizationResponseError' ? 'identity.provider_refused' : 'identity.login_failed';
}
