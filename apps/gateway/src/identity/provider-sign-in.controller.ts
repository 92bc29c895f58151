import { Bus } from '@carillon/bus';
import { Identities, type SignedIn } from '@carillon/contracts';
import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { toApiError } from '../errors/error-filter';
import { codePage, pageHeaders } from '../mail/page';
import { Carries } from '../request/carries';
import { contextOf } from '../request/context';
import { edgeOf, type EdgeRequest, type HttpRequest, type Method, type Row } from '../request/row';
import { setSessionCookie } from '../session/cookie';
import { clearProviderCookie, providerSecret, setProviderCookie } from './cookie';

const row = (method: Method, path: string): Row => ({
  method,
  path: `/api/session/login/oidc/${path}`,
  access: 'public',
  scopes: [],
  rate: 'public',
  // For a browser that is sent there, not for programs.
  undescribed: true,
});

export const providerSignInRows = {
  begin: row('GET', ':provider'),
  callback: { ...row('GET', 'callback'), rotates: true },
  confirm: { ...row('POST', 'callback'), rotates: true, fromForm: true },
} satisfies Record<string, Row>;

const timeoutMs = 10_000;
/** The provider is asked up to four times, for five seconds at most each. */
const finishMs = 25_000;

/** Sends browsers to an OpenID Connect provider to sign in, and takes them when they come back. */
@Controller()
export class ProviderSignInController {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  @Get(providerSignInRows.begin.path)
  @Carries(providerSignInRows.begin)
  async begin(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const request = edgeOf(http);
    const context = contextOf(request, timeoutMs);
    try {
      const input = { provider: http.params['provider'] ?? '' };
      const { value } = await this.bus.ask(Identities.begin, input, context);
      setProviderCookie(request, value.secret);
      void reply.redirect(value.redirectTo, 302);
    } catch (error) {
      fail(request, error);
    }
  }

  @Get(providerSignInRows.callback.path)
  @Carries(providerSignInRows.callback)
  async callback(@Req() http: HttpRequest, @Res() reply: FastifyReply): Promise<void> {
    const request = edgeOf(http);
    const [, query = ''] = http.originalUrl.split(/\?(.*)/s);
    const input = { secret: providerSecret(request), query };
    try {
      const { value } = await this.bus.ask(Identities.finish, input, contextOf(request, finishMs));
      if (value.signedIn) return signIn(request, value.signedIn);
      clearProviderCookie(request);
      void reply.redirect('/console/account', 303);
    } catch (error) {
      if (toApiError(error, http).code !== 'SECOND_FACTOR_REQUIRED') return fail(request, error);
      askForCode(request, '');
    }
  }

  /** The form with the code of an authenticator app. */
  @Post(providerSignInRows.confirm.path)
  @Carries(providerSignInRows.confirm)
  async confirm(@Req() http: HttpRequest): Promise<void> {
    const request = edgeOf(http);
    const totp = new URLSearchParams(Buffer.from(http.body ?? '').toString()).get('totp') ?? '';
    const input = { secret: providerSecret(request), totp };
    try {
      const { value } = await this.bus.ask(Identities.confirm, input, contextOf(request, timeoutMs));
      signIn(request, value);
    } catch (error) {
      const { code } = toApiError(error, http);
      if (code === 'LOGIN_FAILED' || code === 'VALIDATION_FAILED')
        askForCode(request, 'The code is wrong, or was used before.');
      else fail(request, error);
    }
  }
}

function signIn(request: EdgeRequest, { session }: SignedIn): void {
  setSessionCookie(request, session.accessToken);
  clearProviderCookie(request);
  void request.reply.redirect('/console/', 303);
}

const askForCode = ({ reply }: EdgeRequest, sentence: string): void =>
  void reply.status(401).headers(pageHeaders).send(codePage(sentence));

/** The console has words for the code. */
function fail(request: EdgeRequest, error: unknown): void {
  clearProviderCookie(request);
  const { code } = toApiError(error, request.http);
  void request.reply.redirect(`/console/?signInError=${code}`, 303);
}
