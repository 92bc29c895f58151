import { setting } from '@carillon/runtime';
import { Controller, Get, Req } from '@nestjs/common';
import { documentHeaders } from '../html/document';
import { Carries } from '../request/carries';
import { edgeOf, type HttpRequest, type Row } from '../request/row';
import { openAppDocument } from './document';

/** The connector gateway redirects browsers without a session for a web app to this route. */
export const openRow: Row = {
  method: 'GET',
  path: '/apps/:id',
  access: 'public',
  scopes: [],
  rate: 'public',
};

/** Explains how to open a web app. The document is the same for unknown apps, since the caller is not authenticated. */
@Controller()
export class OpenController {
  private readonly baseUrl = setting('CARILLON_BASE_URL');

  @Get(openRow.path)
  @Carries(openRow)
  show(@Req() http: HttpRequest): string {
    void edgeOf(http).reply.headers(documentHeaders);
    return openAppDocument(http.params['id'] ?? '', this.baseUrl);
  }
}
