import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Context } from '@carillon/bus';
import { grantableScopes, type OAuthRequest, type OAuthResponse } from '@carillon/contracts';
import { cell, setting } from '@carillon/runtime';
import { mintSecret } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import type { Provider } from 'oidc-provider';
import { AccountOpening } from '../account/opening.service';
import { Artifacts } from './artifacts.service';
import { commandLineMetadata } from './cli-client';
import { Documents } from './documents.client';
import { errorPage } from './error-page';
import { accessMs, accessPrefix, grantMs, refreshMs, refreshPrefix } from './grant';
import { answerOf } from './in-process.service';
import { grantableIn } from './requested';

const consentSeconds = 10 * 60;
const codeSeconds = 60;

/** The OAuth authorization server: the package `oidc-provider`, with what differs from its defaults. */
@Injectable()
export class AuthorizationServer {
  private readonly issuer = setting('CARILLON_BASE_URL').replace(/\/+$/, '');
  private readonly cell = cell();
  private loaded: Promise<{ provider: Provider; listener: RequestListener }> | undefined;
  /** What the package answered as an error of the server, by the request. */
  private readonly failures = new WeakMap<Context, unknown>();

  constructor(
    @Inject(Artifacts) private readonly artifacts: Artifacts,
    @Inject(Documents) private readonly documents: Documents,
    @Inject(AccountOpening) private readonly opening: AccountOpening,
  ) {}

  /** Loaded with the first request: an installation without such clients does not pay for it. */
  async provider(): Promise<Provider> {
    return (await this.load()).provider;
  }

  async serve(request: OAuthRequest, context: Context): Promise<OAuthResponse> {
    const { listener } = await this.load();
    const response = await this.artifacts.asking.run(context, () => answerOf(listener, this.own(request)));
    if (this.failures.has(context)) throw this.failures.get(context);
    return response;
  }

  /** With the base URL's name and scheme, whatever the proxies in front say. */
  private own(request: OAuthRequest): OAuthRequest {
    const { host, protocol } = new URL(this.issuer);
    return {
      ...request,
      headers: [
        ...request.headers,
        { name: 'host', value: host },
        { name: 'x-forwarded-proto', value: protocol.slice(0, -1) },
      ],
    };
  }

  private load() {
    this.loaded ??= this.create();
    return this.loaded;
  }

  private async create() {
    const { Provider, errors, interactionPolicy } = await import('oidc-provider');
    const resources = ['/mcp', '/api/agent'].map((path) => this.issuer + path);
    const provider = new Provider(this.issuer, {
      adapter: this.artifacts.storeOf,
      // There are no identity tokens: nothing is signed with it.
      jwks: {
        keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })],
      },
      clients: [commandLineMetadata],
      scopes: [],
      claims: {},
      responseTypes: ['code'],
      clientAuthMethods: ['none', 'private_key_jwt'],
      clientDefaults: {
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        id_token_signed_response_alg: 'ES256',
      },
      allowOmittingSingleRegisteredRedirectUri: false,
      pkce: { required: () => true },
      routes: {
        authorization: '/oauth/authorize',
        token: '/oauth/token',
        registration: '/oauth/register',
        revocation: '/oauth/revoke',
      },
      features: {
        devInteractions: { enabled: false },
        dPoP: { enabled: false },
        userinfo: { enabled: false },
        rpInitiatedLogout: { enabled: false },
        pushedAuthorizationRequests: { enabled: false },
        revocation: { enabled: true },
        registration: { enabled: true, issueRegistrationAccessToken: false },
        // The documents are kept in rows, for all replicas.
        clientIdMetadataDocument: { enabled: true, ack: 'draft-02', cacheDuration: { min: 1, max: 1 } },
        resourceIndicators: {
          enabled: true,
          defaultResource: (_context, _client, oneOf) => {
            if (oneOf?.[0] !== undefined && oneOf.length === 1) return oneOf[0];
            throw new errors.InvalidTarget('the request must name one resource');
          },
          useGrantedResource: () => true,
          getResourceServerInfo: ({ oidc: { params } }, resource) => {
            if (!resources.includes(resource) || Array.isArray(params?.['resource']))
              throw new errors.InvalidTarget('the resource must be one of this installation');
            const scope = String(params?.['scope'] ?? '');
            if (scope !== '' && grantableIn(scope.split(' ')).length === 0)
              throw new errors.InvalidScope('none of the scopes can be granted', scope);
            return {
              scope: grantableScopes.join(' '),
              audience: resource,
              accessTokenTTL: accessMs / 1_000,
              accessTokenFormat: 'opaque',
            };
          },
        },
      },
      interactions: {
        url: (_context, { uid }) => `/console/oauth/${uid}`,
        // A person decides about each request, whatever was granted before.
        policy: [
          new interactionPolicy.Prompt(
            { name: 'consent', requestable: true },
            new interactionPolicy.Check(
              'consent_missing',
              'a person must agree',
              'interaction_required',
              ({ oidc }) => oidc.result?.consent === undefined,
            ),
          ),
        ],
      },
      expiresWithSession: () => false,
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      revokeGrantPolicy: () => true,
      findAccount: async (_context, id) => {
        const account = await this.opening.find(id);
        if (!account || account.suspended) return undefined;
        return { accountId: id, claims: () => ({ sub: id }) };
      },
      ttl: {
        AccessToken: accessMs / 1_000,
        AuthorizationCode: codeSeconds,
        Grant: grantMs / 1_000,
        RefreshToken: refreshMs / 1_000,
        Interaction: consentSeconds,
        Session: consentSeconds,
      },
      clientBasedCORS: () => false,
      fetch: (url) => this.documents.get(String(url)),
      renderError: (context, { error, error_description: description }) => {
        context.type = 'html';
        context.body = errorPage(error, description);
      },
    });
    provider.proxy = true;
    const minted = (prefix: string) => {
      const mint = (): string => mintSecret(prefix, this.cell).secret;
      return {
        // The package takes the format from what makes the identifier.
        generateTokenId(this: { format: string }): string {
          this.format = 'opaque';
          return mint();
        },
      };
    };
    Object.assign(provider.AccessToken.prototype, minted(accessPrefix));
    Object.assign(provider.RefreshToken.prototype, minted(refreshPrefix));
    provider.on('server_error', (_context, error) => {
      const context = this.artifacts.asking.getStore();
      if (context) this.failures.set(context, error);
    });
    return { provider, listener: provider.callback() };
  }
}
