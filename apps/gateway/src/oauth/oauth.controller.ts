import { Bus } from '@carillon/bus';
import { OAuth, type OAuthHeader } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { logger, networkOf, numberSetting } from '@carillon/runtime';
import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { tooMany } from '../errors/api-error';
import { documentHeaders } from '../html/document';
import { type Policy, rateHeaders } from '../rate/policy';
import { Rates } from '../rate/rates';
import { Carries } from '../request/carries';
import { contextOf } from '../request/context';
import { refuseEncoded } from '../request/input';
import { edgeOf, type HttpRequest, type Row } from '../request/row';
import { traceOf } from '../trace/trace';
import { consentCookie, forConsentRoute, ofClient } from './cookies';

const row = (method: 'GET' | 'POST', path: string): Row => ({
  method,
  path,
  access: 'public',
  scopes: [],
  rate: 'public',
});

export const oauthRows = {
  authorize: row('GET', '/oauth/authorize'),
  resume: row('GET', '/oauth/authorize/:uid'),
  token: row('POST', '/oauth/token'),
  register: row('POST', '/oauth/register'),
  revoke: row('POST', '/oauth/revoke'),
  device: row('POST', '/oauth/device_authorization'),
  cli: row('GET', '/cli'),
  cliCode: row('GET', '/cli/:userCode'),
};

const log = logger('gateway');
const timeoutMs = 12_000;
/** The headers of a request that the authorization server reads, besides the cookie of a consent. */
const passedOn = ['accept', 'content-type', 'user-agent'];

/** Passes the requests of OAuth clients on to the authorization server in accounts. Their bodies hold secrets. */
@Controller()
export class OAuthController {
  private readonly limits = {
    token: numberSetting('CARILLON_OAUTH_TOKEN_PER_MINUTE', 60),
    device: numberSetting('CARILLON_OAUTH_DEVICE_PER_MINUTE', 20),
    register: numberSetting('CARILLON_OAUTH_REGISTER_PER_HOUR', 20),
  };

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Rates) private readonly rates: Rates,
  ) {}

  @Get(oauthRows.authorize.path)
  @Carries(oauthRows.authorize)
  authorize(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(http, reply);
  }

  @Get(oauthRows.resume.path)
  @Carries(oauthRows.resume)
  resume(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.serve(http, reply);
  }

  @Post(oauthRows.token.path)
  @Carries(oauthRows.token)
  async token(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.limitToken(http, reply);
    return this.serve(http, reply);
  }

  @Post(oauthRows.revoke.path)
  @Carries(oauthRows.revoke)
  async revoke(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.limitToken(http, reply);
    return this.serve(http, reply);
  }

  @Post(oauthRows.device.path)
  @Carries(oauthRows.device)
  async device(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.take(reply, {
      name: 'device',
      key: `oauth-device:${networkOf(http.ip)}`,
      limit: this.limits.device,
      windowSeconds: 60,
    });
    return this.serve(http, reply);
  }

  /** Where a command line sends its person: the page of the console. */
  @Get(oauthRows.cli.path)
  @Carries(oauthRows.cli)
  cli(@Res() reply: FastifyReply): void {
    void reply.redirect('/console/cli', 302);
  }

  @Get(oauthRows.cliCode.path)
  @Carries(oauthRows.cliCode)
  cliCode(@Req() http: HttpRequest, @Res() reply: FastifyReply): void {
    void reply.redirect(`/console/cli/${encodeURIComponent(http.params['userCode'] ?? '')}`, 302);
  }

  @Post(oauthRows.register.path)
  @Carries(oauthRows.register)
  async register(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.take(reply, {
      name: 'register',
      key: `oauth-register:${networkOf(http.ip)}`,
      limit: this.limits.register,
      windowSeconds: 3_600,
    });
    return this.serve(http, reply);
  }

  private async serve(http: HttpRequest, reply: FastifyReply): Promise<void> {
    refuseEncoded(http);
    const body = http.body ?? Buffer.alloc(0);
    const { value } = await this.bus.ask(
      OAuth.serve,
      {
        method: http.method === 'GET' ? 'GET' : 'POST',
        url: http.originalUrl,
        headers: headersOf(http),
        body: body.toString('base64'),
      },
      contextOf(edgeOf(http), timeoutMs),
    );
    const cookies: string[] = [];
    for (const { name, value: text } of value.headers) {
      if (name !== 'set-cookie') void reply.header(name, text);
      else if (text.startsWith(consentCookie)) cookies.push(forConsentRoute(text));
    }
    if (cookies.length > 0) void reply.header('set-cookie', cookies);
    if (String(reply.getHeader('content-type')).startsWith('text/html')) void reply.headers(documentHeaders);
    await reply.status(value.status).send(value.body);
  }

  private limitToken(http: HttpRequest, reply: FastifyReply): Promise<void> {
    const client = ofClient(http.body);
    return this.take(reply, {
      name: 'token',
      key: `oauth-token:${networkOf(http.ip)}:${client}`,
      limit: this.limits.token,
      windowSeconds: 60,
    });
  }

  /** Guessing must not become free because nobody can count. */
  private async take(reply: FastifyReply, policy: Policy): Promise<void> {
    const [state] = await this.rates.take([policy]).catch((error: unknown) => {
      log.warn(
        { err: error, traceparent: traceOf(reply.request) },
        'Failed to count rate limits: the request of an OAuth client is refused',
      );
      throw new Refused('store.unavailable');
    });
    if (!state) return;
    void reply.headers(rateHeaders([state]));
    if (!state.granted) throw tooMany(state.limit, state.resetSeconds);
  }
}

function headersOf({ headers, cookies }: HttpRequest): OAuthHeader[] {
  const passed = passedOn.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? [{ name, value: value.slice(0, 1_024) }] : [];
  });
  const consents = Object.entries(cookies)
    .filter(([name, value]) => name.startsWith(consentCookie) && value !== undefined)
    .map(([name, value]) => `${name}=${value}`);
  return consents.length === 0 ? passed : [...passed, { name: 'cookie', value: consents.join('; ') }];
}
