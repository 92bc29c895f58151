import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  eventually,
  freePort,
  type GatewayProcess,
  type House,
  type HouseAccount,
  type NameServer,
  PersonBrowser,
  type Receiver,
  startGateway,
  startHouse,
  startNames,
  startReplica,
} from '@carillon/testkit';
import {
  Client,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as openid from 'openid-client';

const pepper = randomBytes(32).toString('base64');
let house: House;
let other: GatewayProcess;
let names: NameServer;
const name = 'helper.test';
/** Serves the metadata documents of clients. */
let documents: Receiver;
let person: HouseAccount;
let browser: PersonBrowser;
beforeAll(async () => {
  // The same address after a crash, as an installation has it.
  const PORT = String(await freePort());
  names = await startNames({ [name]: ['127.0.0.1'] });
  house = await startHouse({
    receivers: [name],
    limits: 'off',
    env: {
      CARILLON_PEPPER: pepper,
      PORT,
      CARILLON_WEBHOOK_DNS: names.address,
      CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    },
  });
  house.ignorePushes();
  other = await startGateway(house, pepper);
  documents = await house.receiver();
  documents.ignore();
  person = await house.anotherAccount();
  browser = new PersonBrowser(house.state.baseUrl);
  await browser.signIn(person);
}, 120_000);
afterAll(async () => {
  await other?.stop();
  await house?.close();
  await names?.stop();
}, 90_000);

const redirectUri = 'https://client.example/callback';
const mcp = () => `${house.state.baseUrl}/mcp`;
const agentApi = () => `${house.state.baseUrl}/api/agent`;
let clients = 0;

/** A client with a metadata document of its own. */
async function documentClient(document: object = {}): Promise<openid.Configuration> {
  const clientId = documents.at(`/client-${(clients += 1)}.json`);
  documents.says(({ path }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: documents.at(path),
      client_name: 'Hosted helper',
      redirect_uris: [redirectUri],
      ...document,
    }),
  }));
  return openid.discovery(new URL(house.state.baseUrl), clientId, undefined, openid.None(), {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  });
}

interface Asked {
  readonly url: URL;
  readonly checks: openid.AuthorizationCodeGrantChecks;
}

async function ask(client: openid.Configuration, given: Record<string, string> = {}): Promise<Asked> {
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const url = openid.buildAuthorizationUrl(client, {
    redirect_uri: redirectUri,
    resource: agentApi(),
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...given,
  });
  return { url, checks: { pkceCodeVerifier: verifier, expectedState: state } };
}

/** Asks the person, and gets the tokens. */
async function connect(
  client: openid.Configuration,
  given: Record<string, string> = {},
  scopes?: readonly string[],
): Promise<openid.TokenEndpointResponse> {
  const { url, checks } = await ask(client, given);
  return openid.authorizationCodeGrant(client, await browser.agree(url, scopes), checks);
}

const statusOf = async (token: string) => (await person.api('GET', '/auth/status', { token })).status;
const refused = (error: string) => expect.objectContaining({ error });

describe('a client with a metadata document', () => {
  it('gets the scopes that the person chooses, at one resource, until the grant ends', async () => {
    const client = await documentClient();
    const { url, checks } = await ask(client, {
      scope: 'notifications:send devices:read devices:write openid',
    });
    const uid = await browser.begin(url);
    const shown = await browser.session('GET', `/oauth/interaction/${uid}`);
    expect(shown.body).toEqual({
      client: {
        name: 'Hosted helper',
        host: new URL(documents.url).host,
        redirectHost: 'client.example',
        loopback: false,
      },
      resource: agentApi(),
      account: { name: expect.any(String), email: person.email },
      scopes: [
        { scope: 'notifications:send', basic: true, write: true, preselected: true },
        { scope: 'devices:read', basic: false, write: false, preselected: true },
        { scope: 'devices:write', basic: false, write: true, preselected: false },
      ],
    });
    const decide = (scopes: string[]) =>
      browser.session('POST', `/oauth/interaction/${uid}`, { body: { decision: 'approve', scopes } });
    expect(await decide(['inbox:read'])).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const decided = await decide(['devices:read']);
    // A second decision changes nothing.
    expect((await decide(['devices:write'])).body).toEqual(decided.body);
    const back = await browser.back(decided.body.redirectTo);
    expect(back.searchParams.get('iss')).toBe(house.state.baseUrl);
    const tokens = await openid.authorizationCodeGrant(client, back, checks);
    expect(tokens).toMatchObject({
      access_token: expect.stringMatching(/^carillon_oat_/),
      refresh_token: expect.stringMatching(/^carillon_ort_/),
      expires_in: 3_600,
      scope: 'devices:read',
    });

    const token = tokens.access_token;
    expect((await person.api('GET', '/devices', { token })).status).toBe(200);
    expect(await person.api('GET', '/inbox/projects', { token })).toMatchObject({
      status: 403,
      body: { code: 'INSUFFICIENT_SCOPE' },
    });
    // The other resource does not take it, nor does the Session API.
    expect(await house.http('POST', '/mcp', { token, body: {} })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_INVALID' },
    });
    expect(await house.http('GET', '/api/session/me', { token })).toMatchObject({
      status: 403,
      body: { code: 'HUMAN_SESSION_REQUIRED' },
    });

    const { grants } = await eventually(
      async () => {
        const { body } = await browser.session('GET', '/grants');
        return body.grants[0]?.lastUsedAt === null ? undefined : body;
      },
      () => 'the use of the grant is not noted',
      20_000,
    );
    expect(grants).toContainEqual({
      id: expect.stringMatching(/^tok_/),
      clientName: 'Hosted helper',
      clientHost: new URL(documents.url).host,
      resource: agentApi(),
      scopes: ['devices:read'],
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
    });
    const [{ id }] = grants;
    const list = async () => (await person.session('GET', '/tokens?kind=oauth')).body.tokens;
    expect(await list()).toContainEqual(
      expect.objectContaining({
        id,
        name: 'Hosted helper',
        kind: 'oauth',
        prefix: token.slice(0, 'carillon_oat_'.length + 5),
        oauthClient: { clientId: client.clientMetadata().client_id, name: 'Hosted helper' },
      }),
    );

    const next = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect(await statusOf(next.access_token)).toBe(200);
    expect(next.refresh_token).not.toBe(tokens.refresh_token);

    // Both gateways know the token; the end reaches both.
    const atOther = async () =>
      (await fetch(`${other.url}/api/agent/auth/status`, { headers: { authorization: `Bearer ${token}` } }))
        .status;
    expect(await atOther()).toBe(200);
    expect((await browser.session('DELETE', `/grants/${id}`)).status).toBe(200);
    expect(await statusOf(token)).toBe(401);
    expect(await statusOf(next.access_token)).toBe(401);
    await eventually(
      async () => (await atOther()) === 401 || undefined,
      () => 'the other gateway still takes the token',
      5_000,
    );
    await expect(openid.refreshTokenGrant(client, next.refresh_token ?? '')).rejects.toEqual(
      refused('invalid_grant'),
    );
    expect(await browser.session('DELETE', `/grants/${id}`)).toMatchObject({ status: 200 });
  }, 60_000);

  it('keeps the scopes of its grant when it asks for more', async () => {
    const client = await documentClient();
    const first = await connect(client, { scope: 'devices:read' });
    const second = await connect(client, { scope: 'inbox:read' });
    expect(second.scope?.split(' ').sort()).toEqual(['devices:read', 'inbox:read']);
    const { grants } = (await browser.session('GET', '/grants')).body;
    const ofClient = grants.filter((grant: { scopes: string[] }) => grant.scopes.includes('inbox:read'));
    expect(ofClient).toHaveLength(1);
    expect((await person.api('GET', '/inbox/projects', { token: second.access_token })).status).toBe(200);
    expect((await person.api('GET', '/inbox/projects', { token: first.access_token })).status).toBe(403);

    // A token of the client ends the grant with all others; asking again makes a new one.
    await openid.tokenRevocation(client, first.access_token);
    expect(await statusOf(second.access_token)).toBe(401);
    const third = await connect(client, { scope: 'devices:read' });
    expect(third.scope).toBe('devices:read');
    expect(await statusOf(third.access_token)).toBe(200);
  }, 60_000);

  it('may sign its requests with a key of its document', async () => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    );
    const jwks = { keys: [await crypto.subtle.exportKey('jwk', publicKey)] };
    const document = { token_endpoint_auth_method: 'private_key_jwt', jwks };
    const unsigned = await documentClient(document);
    const { client_id: clientId } = unsigned.clientMetadata();
    const signing = await openid.discovery(
      new URL(house.state.baseUrl),
      clientId,
      undefined,
      openid.PrivateKeyJwt(privateKey),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    const { url, checks } = await ask(signing, { scope: 'devices:read' });
    const back = await browser.agree(url);
    await expect(openid.authorizationCodeGrant(unsigned, back, checks)).rejects.toEqual(
      refused('invalid_client'),
    );
    const tokens = await openid.authorizationCodeGrant(signing, back, checks);
    expect(await statusOf(tokens.access_token)).toBe(200);
  });

  it('gets the basic scopes where it asks for none', async () => {
    const tokens = await connect(await documentClient());
    expect(tokens.scope?.split(' ').sort()).toEqual([
      'activities:read',
      'activities:write',
      'interactions:create',
      'interactions:read',
      'notifications:send',
    ]);
  });
});

/** Before the stories that move the clock: another process has the time of the wall. */
describe('tokens, where accounts has two processes', () => {
  let replica: Awaited<ReturnType<typeof startReplica>>;
  beforeAll(async () => {
    replica = await startReplica(house, 'accounts', {
      CARILLON_PEPPER: pepper,
      ...(await house.receiverSettings()),
      CARILLON_WEBHOOK_DNS: names.address,
      CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.1/32',
    });
  }, 60_000);
  afterAll(() => replica?.stop());

  it('come for codes that either has made, and end at both, and at both gateways, with their grant', async () => {
    const client = await documentClient();
    let tokens: openid.TokenEndpointResponse | undefined;
    for (let round = 0; round < 6; round += 1) tokens = await connect(client, { scope: 'devices:read' });
    const { access_token: token = '', refresh_token: refreshToken = '' } = tokens ?? {};
    const statuses = (url: string) =>
      Promise.all(
        Array.from({ length: 8 }, async () => {
          const headers = { authorization: `Bearer ${token}` };
          return (await fetch(`${url}/api/agent/auth/status`, { headers })).status;
        }),
      );
    const both = [house.state.baseUrl, other.url];
    for (const url of both) expect(new Set(await statuses(url))).toEqual(new Set([200]));
    const { grants } = (await browser.session('GET', '/grants')).body;
    const [{ id }] = grants;
    expect((await browser.session('DELETE', `/grants/${id}`)).status).toBe(200);
    const isOver = async (): Promise<boolean> => {
      const all = (await Promise.all(both.map(statuses))).flat();
      return all.every((status) => status === 401);
    };
    await eventually(
      async () => (await isOver()) || undefined,
      () => 'a gateway still takes the token',
      5_000,
    );
    for (let count = 0; count < 6; count += 1)
      await expect(openid.refreshTokenGrant(client, refreshToken)).rejects.toEqual(refused('invalid_grant'));
    expect(await isOver()).toBe(true);
  }, 60_000);

  it('end with their grant when one refresh token is used by twenty at once', async () => {
    const client = await documentClient();
    const tokens = await connect(client, { scope: 'devices:read' });
    const uses = await Promise.allSettled(
      Array.from({ length: 20 }, () => openid.refreshTokenGrant(client, tokens.refresh_token ?? '')),
    );
    const got = uses.flatMap((use) => (use.status === 'fulfilled' ? [use.value] : []));
    expect(got.length).toBeLessThanOrEqual(1);
    for (const use of uses)
      if (use.status === 'rejected') expect(use.reason).toEqual(refused('invalid_grant'));
    expect(await statusOf(tokens.access_token)).toBe(401);
    for (const { access_token, refresh_token } of got) {
      expect(await statusOf(access_token)).toBe(401);
      await expect(openid.refreshTokenGrant(client, refresh_token ?? '')).rejects.toEqual(
        refused('invalid_grant'),
      );
    }
  }, 60_000);
});

describe('tokens', () => {
  it('end with their grant when the code is used twice', async () => {
    const client = await documentClient();
    const { url, checks } = await ask(client, { scope: 'devices:read' });
    const back = await browser.agree(url);
    const tokens = await openid.authorizationCodeGrant(client, back, checks);
    expect(await statusOf(tokens.access_token)).toBe(200);
    await expect(openid.authorizationCodeGrant(client, back, checks)).rejects.toEqual(
      refused('invalid_grant'),
    );
    expect(await statusOf(tokens.access_token)).toBe(401);
  });

  it('end by time: access after an hour, a refresh token after 30 days', async () => {
    const client = await documentClient();
    const tokens = await connect(client, { scope: 'devices:read' });
    await house.advance(3_601);
    expect(await person.api('GET', '/auth/status', { token: tokens.access_token })).toMatchObject({
      status: 401,
      body: { code: 'TOKEN_EXPIRED' },
    });
    const next = await openid.refreshTokenGrant(client, tokens.refresh_token ?? '');
    expect(await statusOf(next.access_token)).toBe(200);
    await house.advance(31 * 24 * 60 * 60);
    await browser.signIn(person);
    await expect(openid.refreshTokenGrant(client, next.refresh_token ?? '')).rejects.toEqual(
      refused('invalid_grant'),
    );
  });
});

/** What an MCP client keeps between its sign-ins; the person agrees at once, to all that is asked. */
class Host implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:9/callback';
  readonly clientMetadata = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/callback'] };
  back: URL | undefined;
  asked: string[] = [];
  private registered: { client_id: string } | undefined;
  private saved: OAuthTokens | undefined;
  private verifier = '';

  clientInformation = () => this.registered;
  saveClientInformation = (registered: { client_id: string }) => void (this.registered = registered);
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
  async redirectToAuthorization(url: URL): Promise<void> {
    this.asked = url.searchParams.get('scope')?.split(' ') ?? [];
    this.back = await browser.agree(
      url,
      this.asked.filter((scope) => scope !== 'offline_access'),
    );
  }
}

describe('an MCP client', () => {
  const isUnauthorized = (error: unknown): boolean =>
    error instanceof Error && (error instanceof UnauthorizedError || error.name === 'UnauthorizedError');

  it('of 2026-07-28 registers, signs in, and asks for a scope when a tool needs it', async () => {
    const host = new Host();
    const connected = async () => {
      const transport = new StreamableHTTPClientTransport(new URL(mcp()), { authProvider: host });
      const client = new Client(
        { name: 'desk', version: '1.0.0' },
        { versionNegotiation: { mode: { pin: '2026-07-28' } } },
      );
      return { client, transport };
    };
    const signedIn = async <T>(attempt: (client: Client) => Promise<T>): Promise<T> => {
      const { client, transport } = await connected();
      try {
        await client.connect(transport);
        return await attempt(client);
      } catch (error) {
        if (!isUnauthorized(error) || !host.back) throw error;
        await transport.finishAuth(host.back.searchParams);
        host.back = undefined;
        return signedIn(attempt);
      }
    };
    const tools = await signedIn(async (client) => (await client.listTools()).tools.map(({ name }) => name));
    expect(host.asked).toContain('notifications:send');
    expect(tools).toContain('notify');
    expect(tools).not.toContain('list_devices');
    const devices = await signedIn((client) => client.callTool({ name: 'list_devices', arguments: {} }));
    expect(devices.isError).toBeFalsy();
    expect(host.asked).toContain('devices:read');
    // The tokens have what was granted before, too.
    const sent = await signedIn((client) => client.callTool({ name: 'list_activities', arguments: {} }));
    expect(sent.isError).toBeFalsy();
  }, 60_000);

  it('of 2025 registers and signs in', async () => {
    const host = new Host();
    const connect = async () => {
      const transport = new OlderTransport(new URL(mcp()), { authProvider: host as never });
      const client = new OlderClient({ name: 'older-desk', version: '1.0.0' });
      return { transport, client, done: client.connect(transport as never) };
    };
    const first = await connect();
    await expect(first.done).rejects.toThrow(/unauthorized/i);
    await first.transport.finishAuth(host.back?.searchParams.get('code') ?? '');
    const second = await connect();
    await second.done;
    expect((await second.client.listTools()).tools.map(({ name }) => name)).toContain('ask');
  }, 60_000);
});

describe('a command line with a code', () => {
  const post = async (path: string, fields: Record<string, string>) => {
    const response = await fetch(house.state.baseUrl + path, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'cli', ...fields }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };
  const begin = async (given: Record<string, string> = {}) =>
    (await post('/oauth/device_authorization', { host: 'laptop', ...given })).body;
  const poll = (deviceCode = '') =>
    post('/oauth/token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: deviceCode,
    });
  const decide = (code = '', body: object = {}) => browser.session('POST', `/cli/${code}`, { body });

  it('gets an API token, once, with what the person chooses', async () => {
    const begun = await begin({ scope: 'notifications:send devices:read tokens:manage' });
    expect(begun).toEqual({
      device_code: expect.any(String),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: `${house.state.baseUrl}/cli`,
      verification_uri_complete: `${house.state.baseUrl}/cli/${begun['user_code']}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await poll(begun['device_code'])).toMatchObject({
      status: 400,
      body: { error: 'authorization_pending' },
    });
    expect(await poll(begun['device_code'])).toMatchObject({ status: 400, body: { error: 'slow_down' } });
    const typed = begun['user_code']?.toLowerCase().replace('-', '');
    const shown = await browser.session('GET', `/cli/${typed}`);
    expect(shown.body).toEqual({
      client: 'cli',
      host: 'laptop',
      scopes: ['notifications:send', 'devices:read'],
      expiresAt: expect.any(String),
    });
    const approval = { decision: 'approve', scopes: ['devices:read'] };
    expect((await decide(typed, approval)).status).toBe(200);
    // The first decision counts.
    expect((await decide(typed, { decision: 'deny', scopes: [] })).status).toBe(404);
    const answers = await Promise.all([poll(begun['device_code']), poll(begun['device_code'])]);
    const [given] = answers.filter(({ status }) => status === 200);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(given?.body).toEqual({
      access_token: expect.stringMatching(/^carillon_pat_/),
      token_type: 'Bearer',
      scope: 'devices:read',
    });
    const token = given?.body['access_token'] ?? '';
    expect((await person.api('GET', '/devices', { token })).status).toBe(200);
    const { tokens } = (await person.session('GET', '/tokens')).body;
    expect(tokens).toContainEqual(
      expect.objectContaining({ name: 'CLI on laptop', kind: 'token', expiresAt: expect.any(String) }),
    );
    expect((await poll(begun['device_code'])).body['error']).toBe('expired_token');
  });

  it('gets none when the person refuses, when it is another one, or when time is up', async () => {
    const refused = await begin();
    await decide(refused['user_code'], { decision: 'deny', scopes: [] });
    expect((await poll(refused['device_code'])).body['error']).toBe('access_denied');
    const begun = await begin();
    expect((await poll(`${begun['user_code']}.carillon_dev_guess`)).body['error']).toBe('expired_token');
    expect((await post('/oauth/device_authorization', { client_id: 'other' })).body['error']).toBe(
      'invalid_client',
    );
    await house.advance(601);
    expect((await poll(begun['device_code'])).body['error']).toBe('expired_token');
    expect((await decide(begun['user_code'], { decision: 'approve', scopes: ['devices:read'] })).status).toBe(
      404,
    );
  });

  it('is not found by guessing: ten wrong codes are enough', async () => {
    const guesser = await house.anotherAccount();
    const guess = async () => (await guesser.session('GET', '/cli/BBBB-BBBB')).status;
    const statuses: number[] = [];
    for (let round = 0; round < 12; round += 1) statuses.push(await guess());
    expect(statuses.slice(0, 1)).toEqual([404]);
    expect(statuses.at(-1)).toBe(429);
    await house.advance(15 * 60 + 1);
    await browser.signIn(person);
  });

  it('goes to the page of the console by a short address', async () => {
    const to = async (path: string) => (await house.http('GET', path)).headers.get('location');
    expect(await to('/cli')).toBe('/console/cli');
    expect(await to('/cli/BCDF-GHJK')).toBe('/console/cli/BCDF-GHJK');
  });
});

describe('a metadata document', () => {
  const begin = async (path: string, host?: string) => {
    const url = new URL('/oauth/authorize', house.state.baseUrl);
    url.search = new URLSearchParams({
      client_id: documents.at(path, host),
      redirect_uri: redirectUri,
      response_type: 'code',
      resource: agentApi(),
      code_challenge: await openid.calculatePKCECodeChallenge('x'.repeat(43)),
      code_challenge_method: 'S256',
    }).toString();
    const started = Date.now();
    const { status, body } = await browser.go('GET', url.href);
    return { status, body, tookMs: Date.now() - started };
  };
  const good = (path: string, more: object = {}) =>
    JSON.stringify({ client_id: documents.at(path), redirect_uris: [redirectUri], ...more });

  it.each<[string, Parameters<Receiver['says']>[0]]>([
    ['that leads elsewhere', { status: 302, headers: { location: 'https://127.0.0.1/' } }],
    ['that is not found', { status: 404 }],
    ['of more than 5 KiB', ({ path }) => ({ status: 200, body: good(path, { tos: 'x'.repeat(5_200) }) })],
    ['that ends too early', { status: 200, does: 'cut in the middle', body: '{"client_id":' }],
    ['that is no JSON', { status: 200, body: '<html>' }],
    ['of another client', { status: 200, body: JSON.stringify({ client_id: 'https://x.example/' }) }],
    ['with a secret', ({ path }) => ({ status: 200, body: good(path, { client_secret: 'x' }) })],
    [
      'with a shared secret as its sign-in',
      ({ path }) => ({ status: 200, body: good(path, { token_endpoint_auth_method: 'client_secret_post' }) }),
    ],
    [
      'with a redirect that no client has',
      ({ path }) => ({ status: 200, body: good(path, { redirect_uris: ['ftp://client.example/'] }) }),
    ],
  ])('%s makes no client', async (name, says) => {
    documents.says(says);
    const { status, body } = await begin(`/bad-${encodeURIComponent(name)}.json`);
    expect(status).toBe(400);
    expect(body).toMatch(/<code>invalid_client/);
  });

  it('of a name that leads to a private address by now is not fetched again', async () => {
    documents.says(({ path }) => ({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: JSON.stringify({ client_id: documents.at(path, name), redirect_uris: [redirectUri] }),
    }));
    expect((await begin('/rebound.json', name)).status).toBe(303);
    const { port } = new URL(documents.url);
    let connections = 0;
    const inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(Number(port), '127.0.0.2');
    await once(inside, 'listening');
    const before = documents.count;
    // The package keeps the document for a second, by the clock of the machine.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    for (const addresses of [['127.0.0.2'], ['127.0.0.1', '127.0.0.2']]) {
      names.says(name, addresses);
      for (const path of ['/rebound.json', `/rebound-${addresses.length}.json`]) {
        const { status, body } = await begin(path, name);
        expect(status).toBe(400);
        expect(body).toMatch(/<code>invalid_client/);
      }
    }
    expect([connections, documents.count - before]).toEqual([0, 0]);
    inside.close();
  }, 20_000);

  it('that does not come is waited for five seconds, once', async () => {
    documents.says({ does: 'hang' });
    const { status, tookMs } = await begin('/slow.json');
    expect(status).toBe(400);
    expect(tookMs).toBeGreaterThan(4_900);
    expect(tookMs).toBeLessThan(9_000);
  }, 20_000);

  it('is kept as long as its headers say, and fetched again then', async () => {
    const before = documents.count;
    documents.says(({ path }) => ({
      status: 200,
      headers: { 'cache-control': 'max-age=3600' },
      body: good(path),
    }));
    for (let round = 0; round < 3; round += 1) expect((await begin('/kept.json')).status).toBe(303);
    expect(documents.count - before).toBe(1);
    await house.advance(3_601);
    // The package keeps it for a second more, by the clock of the machine.
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect((await begin('/kept.json')).status).toBe(303);
    expect(documents.count - before).toBe(2);
  }, 20_000);
});

describe('a registration', () => {
  const register = (body: object) => house.http('POST', '/oauth/register', { body });

  it('makes a public client', async () => {
    const answer = await register({ client_name: 'Desk', redirect_uris: ['http://localhost/callback'] });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        client_id: expect.any(String),
        client_name: 'Desk',
        redirect_uris: ['http://localhost/callback'],
        token_endpoint_auth_method: 'none',
      },
    });
    expect(answer.body.client_secret).toBeUndefined();
  });

  it.each([
    ['http://client.example/'],
    ['ftp://client.example/'],
    ['javascript:alert(1)'],
    ['https://client.example/#fragment'],
    ['not a uri'],
  ])('is refused with the redirect %s', async (uri) =>
    expect(await register({ redirect_uris: [uri] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    }),
  );

  it('is refused for a client with a secret', async () =>
    expect(
      await register({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_basic' }),
    ).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } }));

  it('is forgotten when nobody uses it for 30 days', async () => {
    const { body } = await register({ redirect_uris: [redirectUri] });
    const { url } = await ask(await documentClient(), { client_id: body.client_id });
    expect((await browser.go('GET', url.href)).status).toBe(303);
    await house.advance(32 * 24 * 60 * 60);
    expect((await browser.go('GET', url.href)).status).toBe(400);
    await browser.signIn(person);
  });
});

describe('a request that is not as it must be', () => {
  let client: openid.Configuration;
  beforeAll(async () => {
    client = await documentClient();
  });
  const page = async (given: Record<string, string>) => {
    const { url } = await ask(client, given);
    return browser.go('GET', url.href);
  };

  it.each([
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    ['another redirect', { redirect_uri: 'https://evil.example/callback' }, 'invalid_redirect_uri'],
    ['a longer redirect', { redirect_uri: `${redirectUri}/more` }, 'invalid_redirect_uri'],
    ['a client at a private address', { client_id: 'https://10.0.0.1/client.json' }, 'invalid_client'],
    [
      'a client at a port of a database',
      { client_id: 'https://127.0.0.1:5432/client.json' },
      'invalid_client',
    ],
  ])('with %s shows a page and leads nowhere', async (_, given, error) => {
    const { status, headers, body } = await page(given);
    expect(status).toBe(400);
    expect(headers.get('location')).toBeNull();
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(body).toContain(`<code>${error}</code>`);
  });

  it.each([
    ['without a resource', { resource: '' }, 'invalid_target'],
    ['with a resource of somebody else', { resource: 'https://api.example/' }, 'invalid_target'],
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['with a scope that nobody can grant', { scope: 'tokens:manage' }, 'invalid_scope'],
    ['without asking the person', { prompt: 'none' }, 'interaction_required'],
  ])('%s goes back to the client with the error', async (_, given, error) => {
    const { url } = await ask(client, given);
    for (const [name, value] of Object.entries(given)) if (value === '') url.searchParams.delete(name);
    const { status, headers } = await browser.go('GET', url.href);
    expect(status).toBe(303);
    const location = new URL(headers.get('location') ?? '');
    expect(location.origin + location.pathname).toBe(redirectUri);
    // An answer of the implicit flow, an error too, is in the fragment.
    const answered = new URLSearchParams(location.search || location.hash.slice(1));
    expect(answered.get('error')).toBe(error);
    expect(answered.get('state')).toBe(url.searchParams.get('state'));
  });

  it('is for the browser that began it, and for nobody who is not signed in', async () => {
    const { url } = await ask(client, { scope: 'devices:read' });
    const uid = await browser.begin(url);
    const another = new PersonBrowser(house.state.baseUrl);
    expect((await another.session('GET', `/oauth/interaction/${uid}`)).status).toBe(401);
    await another.signIn(await house.anotherAccount());
    for (const method of ['GET', 'POST'])
      expect(
        await another.session(method, `/oauth/interaction/${uid}`, {
          ...(method === 'POST' && { body: { decision: 'approve', scopes: ['devices:read'] } }),
        }),
      ).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    // A person who refuses leads back to the client too.
    const { body } = await browser.session('POST', `/oauth/interaction/${uid}`, {
      body: { decision: 'deny', scopes: [] },
    });
    expect((await browser.back(body.redirectTo)).searchParams.get('error')).toBe('access_denied');
  });

  it('needs a recent sign-in for a scope that changes something', async () => {
    const { url } = await ask(client, { scope: 'devices:read devices:write' });
    await browser.signIn(person);
    const uid = await browser.begin(url);
    await house.advance(16 * 60);
    const { url: later } = await ask(client, { scope: 'devices:read devices:write' });
    const fresh = await browser.begin(later);
    const decide = (id: string, scopes: string[]) =>
      browser.session('POST', `/oauth/interaction/${id}`, { body: { decision: 'approve', scopes } });
    expect(await decide(uid, ['devices:read'])).toMatchObject({ status: 404 });
    expect(await decide(fresh, ['devices:write'])).toMatchObject({
      status: 401,
      body: { code: 'REAUTH_REQUIRED' },
    });
    expect((await decide(fresh, ['devices:read'])).status).toBe(200);
    await browser.signIn(person);
  });
});

describe('a crash', () => {
  it('between the code and the tokens loses neither the code nor the grant', async () => {
    const client = await documentClient();
    const { url, checks } = await ask(client, { scope: 'devices:read' });
    const back = await browser.agree(url);
    await other.stop();
    await house.kill9();
    await house.start();
    const tokens = await openid.authorizationCodeGrant(client, back, checks);
    expect(await statusOf(tokens.access_token)).toBe(200);
    await expect(openid.authorizationCodeGrant(client, back, checks)).rejects.toEqual(
      refused('invalid_grant'),
    );
    expect(await statusOf(tokens.access_token)).toBe(401);
  }, 120_000);
});

describe('a client in a page of another site', () => {
  const page = { origin: 'https://inspector.example' };
  const asked = (method: string) => ({
    ...page,
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type,mcp-protocol-version',
  });
  const open = [
    ['GET', '/.well-known/oauth-protected-resource'],
    ['GET', '/.well-known/oauth-protected-resource/mcp'],
    ['GET', '/.well-known/oauth-protected-resource/api/agent'],
    ['GET', '/.well-known/oauth-authorization-server'],
    ['GET', '/.well-known/openid-configuration'],
    ['POST', '/oauth/token'],
    ['POST', '/oauth/register'],
    ['POST', '/oauth/revoke'],
  ] as const;

  it.each(open)('reads the answer to %s %s, also a refusal, without cookies', async (method, path) => {
    const url = `${house.state.baseUrl}${path}`;
    const before = await fetch(url, { method: 'OPTIONS', headers: asked(method) });
    expect([before.status, await before.text()]).toEqual([204, '']);
    expect(Object.fromEntries(before.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': method,
      'access-control-allow-headers': expect.stringContaining('mcp-protocol-version'),
    });
    for (const answer of [before, await fetch(url, { method, headers: page })]) {
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    }
  });

  it('registers, and exchanges a code, all the way', async () => {
    const headers = { ...page, 'sec-fetch-site': 'cross-site' };
    const registered = await house.http('POST', '/oauth/register', {
      headers,
      body: { client_name: 'Inspector', redirect_uris: [redirectUri] },
    });
    expect(registered.status).toBe(201);
    const client = await openid.discovery(
      new URL(house.state.baseUrl),
      registered.body.client_id,
      undefined,
      openid.None(),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    client[openid.customFetch] = (url, options) =>
      fetch(url, { ...(options as RequestInit), headers: { ...options.headers, ...headers } });
    expect(await statusOf((await connect(client)).access_token)).toBe(200);
  });

  it.each([
    ['GET', '/oauth/authorize'],
    ['POST', '/oauth/device_authorization'],
    ['GET', '/api/session/me'],
    ['POST', '/api/session/login/password'],
    ['GET', '/api/agent/auth/status'],
    ['POST', '/mcp'],
    ['GET', '/oauth/token/'],
  ])('reads nothing of %s %s', async (method, path) => {
    const url = `${house.state.baseUrl}${path}`;
    for (const answer of [
      await fetch(url, { method: 'OPTIONS', headers: asked(method) }),
      await fetch(url, { method, headers: page, redirect: 'manual' }),
    ]) {
      expect(answer.ok).toBe(false);
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
