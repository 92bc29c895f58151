import { Bus } from '@carillon/bus';
import { Mail } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { Controller, Get, Inject, Post, Req } from '@nestjs/common';
import type { ApiError } from '../errors/api-error';
import { fromRefusal } from '../errors/refusals';
import { Carries } from '../request/carries';
import { contextOf } from '../request/context';
import { edgeOf, type EdgeRequest, type HttpRequest, type Method, type Row } from '../request/row';
import { setSessionCookie } from '../session/cookie';
import { askingPage, codePage, pageHeaders, type Purpose, refusedPage, verifiedPage } from './page';

const row = (method: Method, purpose: Purpose): Row => ({
  method,
  path: `/${purpose}/:token`,
  access: 'public',
  scopes: [],
  rate: 'public',
});

export const mailPageRows = {
  askSignIn: row('GET', 'sign-in'),
  signIn: { ...row('POST', 'sign-in'), rotates: true, fromForm: true },
  askVerify: row('GET', 'verify'),
  verify: { ...row('POST', 'verify'), fromForm: true },
} satisfies Record<string, Row>;

const timeoutMs = 10_000;

/** The pages that links in mails lead to. They work without a script; a link is used up by a press of the button. */
@Controller()
export class MailPagesController {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  @Get(mailPageRows.askSignIn.path)
  @Carries(mailPageRows.askSignIn)
  askSignIn(@Req() http: HttpRequest): string {
    return shown(edgeOf(http), 200, askingPage('sign-in'));
  }

  @Post(mailPageRows.signIn.path)
  @Carries(mailPageRows.signIn)
  async signIn(@Req() http: HttpRequest): Promise<string> {
    const request = edgeOf(http);
    const totp = new URLSearchParams(Buffer.from(http.body ?? '').toString()).get('totp');
    const input = { token: http.params['token'] ?? '', ...(totp && { totp }) };
    try {
      const { value } = await this.bus.ask(Mail.confirmSignIn, input, contextOf(request, timeoutMs));
      setSessionCookie(request, value.session.accessToken);
      void request.reply.header('location', '/console/');
      return shown(request, 303, '');
    } catch (error) {
      const { status, code, sentence } = asRefused(error);
      const isOfCode = code === 'SECOND_FACTOR_REQUIRED' || code === 'LOGIN_FAILED' || totp !== null;
      const isOver = code === 'LINK_INVALID' || status !== 401;
      if (!isOfCode || isOver) return shown(request, status, refusedPage(sentence));
      return shown(
        request,
        status,
        codePage(code === 'LOGIN_FAILED' ? 'The code is wrong, or was used before.' : ''),
      );
    }
  }

  @Get(mailPageRows.askVerify.path)
  @Carries(mailPageRows.askVerify)
  askVerify(@Req() http: HttpRequest): string {
    return shown(edgeOf(http), 200, askingPage('verify'));
  }

  @Post(mailPageRows.verify.path)
  @Carries(mailPageRows.verify)
  async verify(@Req() http: HttpRequest): Promise<string> {
    const request = edgeOf(http);
    try {
      await this.bus.ask(Mail.verify, { token: http.params['token'] ?? '' }, contextOf(request, timeoutMs));
      return shown(request, 200, verifiedPage());
    } catch (error) {
      const { status, sentence } = asRefused(error);
      return shown(request, status, refusedPage(sentence));
    }
  }
}

function shown({ reply }: EdgeRequest, status: number, page: string): string {
  void reply.status(status).headers(pageHeaders);
  return page;
}

/** What people are told on a page. Faults of ours are answered as on every route. */
function asRefused(error: unknown): ApiError {
  const refused = error instanceof Refused ? fromRefusal(error) : undefined;
  if (!refused || refused.status >= 500) throw error;
  return refused;
}
