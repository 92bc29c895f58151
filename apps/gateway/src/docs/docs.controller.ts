import { checkoutOf } from '@carillon/settings';
import { Controller, Get, Req } from '@nestjs/common';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sendBuilt } from '../built/built-file';
import { noRoute } from '../errors/api-error';
import { Carries } from '../request/carries';
import { edgeOf, type HttpRequest, type Row } from '../request/row';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

/** The address of the contents; the only path whose last segment may be empty. */
export const docsHome = '/docs/';

export const docsRows = {
  folder: row('/docs'),
  pages: row('/docs/*'),
  llms: row('/llms.txt'),
};

/** As the documents of the invites, but with files of our own. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

interface Entry {
  readonly file: string;
  readonly type: string;
  /** Its address changes with its content. */
  readonly isFixed?: true;
}

/** Made by tools/docs.mjs. */
const folder = join(checkoutOf(import.meta.dirname, existsSync), 'dist/docs');
const index = join(folder, 'index.json');

/** Serves the documentation as it was built. Only the index is kept in memory. */
@Controller()
export class DocsController {
  private readonly entries = new Map<string, Entry>(
    existsSync(index) ? Object.entries(JSON.parse(readFileSync(index, 'utf8')) as Record<string, Entry>) : [],
  );

  @Get(docsRows.folder.path)
  @Carries(docsRows.folder)
  toHome(@Req() http: HttpRequest): void {
    void edgeOf(http).reply.redirect(docsHome, 308);
  }

  @Get(docsRows.pages.path)
  @Carries(docsRows.pages)
  page(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    return this.serve(http);
  }

  @Get(docsRows.llms.path)
  @Carries(docsRows.llms)
  llms(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    return this.serve(http);
  }

  private async serve(http: HttpRequest): Promise<Buffer | undefined> {
    const [path = ''] = http.url.split('?');
    const found = this.entries.get(path);
    const entry = found ?? this.entries.get('/docs/404');
    if (!entry) throw noRoute();
    const { file, type, isFixed = false } = entry;
    return sendBuilt(http, {
      path: join(folder, file),
      type,
      isFixed,
      headers,
      ...(!found && { status: 404 }),
    });
  }
}
