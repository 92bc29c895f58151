import { setting } from '@carillon/runtime';
import { Controller, Get, Req } from '@nestjs/common';
import { pageHeaders } from '../join/page';
import { Carries } from '../request/carries';
import { edgeOf, type HttpRequest } from '../request/edge-request';
import type { Row } from '../request/row';
import { openPage } from './page';

/** Where the connector gateway sends who has no session for a web app. */
export const openRow: Row = {
  method: 'GET',
  path: '/apps/:id',
  access: 'public',
  scopes: [],
  rate: 'public',
};

/** A page that says where to go on. It is the same whether there is such an app or not: who asks is nobody yet. */
@Controller()
export class OpenController {
  private readonly baseUrl = setting('CARILLON_BASE_URL');

  @Get(openRow.path)
  @Carries(openRow)
  show(@Req() http: HttpRequest): string {
    void edgeOf(http).reply.headers(pageHeaders);
    return openPage(http.params['id'] ?? '', this.baseUrl);
  }
}
