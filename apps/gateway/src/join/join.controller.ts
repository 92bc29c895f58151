import { Bus } from '@carillon/bus';
import { Invites } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { setting } from '@carillon/runtime';
import { Controller, Get, Inject, Req } from '@nestjs/common';
import { fromRefusal } from '../errors/refusals';
import { Carries } from '../request/carries';
import { systemContext } from '../request/context';
import { edgeOf, type HttpRequest, type Row } from '../request/row';
import { deadInviteDocument, inviteDocument, documentHeaders } from './document';

/** The target of an invite's `url`. */
export const joinRow: Row = {
  method: 'GET',
  path: '/join/:code',
  access: 'public',
  scopes: [],
  rate: 'public',
};

const timeoutMs = 10_000;
const codeForm = /^[0-9a-z]{26}$/i;

/** Serves the HTML document of an invite. The path holds its code, which must not be logged. */
@Controller()
export class JoinController {
  private readonly baseUrl = setting('CARILLON_BASE_URL');

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  @Get(joinRow.path)
  @Carries(joinRow)
  async show(@Req() http: HttpRequest): Promise<string> {
    const { reply } = edgeOf(http);
    void reply.headers(documentHeaders);
    const code = http.params['code'] ?? '';
    try {
      if (!codeForm.test(code)) throw new Refused('invite.unknown');
      const asked = systemContext('gateway.join', timeoutMs, http);
      const { invite } = (await this.bus.ask(Invites.notice, { code }, asked)).value;
      return inviteDocument(invite, code, this.baseUrl);
    } catch (error) {
      const answer = error instanceof Refused ? fromRefusal(error) : undefined;
      if (answer?.status !== 404 && answer?.status !== 410) throw error;
      void reply.status(answer.status);
      return deadInviteDocument(answer.sentence);
    }
  }
}
