import { setting } from '@carillon/runtime';
import { Controller, Get, Req } from '@nestjs/common';
import { Carries } from '../request/carries';
import { edgeOf, type HttpRequest, type Row } from '../request/row';
import { documentHeaders } from '../html/document';
import { joinDocument } from './document';

/** The target of an invite's `url`. */
export const joinRow: Row = {
  method: 'GET',
  path: '/join/:code',
  access: 'public',
  scopes: [],
  rate: 'public',
};

/** Leads from the link of an invite to the console. The path holds its code, which must not be logged. */
@Controller()
export class JoinController {
  private readonly baseUrl = setting('CARILLON_BASE_URL');

  @Get(joinRow.path)
  @Carries(joinRow)
  show(@Req() http: HttpRequest): string {
    void edgeOf(http).reply.headers(documentHeaders);
    return joinDocument(http.params['code'] ?? '', this.baseUrl);
  }
}
