import { checkoutOf } from '@carillon/settings';
import { Controller, Get, Req } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sendBuilt } from '../built/built-file';
import { noRoute } from '../errors/api-error';
import { Carries } from '../request/carries';
import { edgeOf, type HttpRequest, type Row } from '../request/row';
import { consoleFile, consoleHeaders, typeOf } from './files';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

export const consoleRows = { bare: row('/console'), any: row('/console/*') };

/** Made by tools/build.mjs. */
const folder = join(checkoutOf(import.meta.dirname, existsSync), 'dist/apps/console');

/** Serves the console of the browser: its files, and its document for every other path. */
@Controller()
export class ConsoleController {
  @Get(consoleRows.bare.path)
  @Carries(consoleRows.bare)
  redirect(@Req() http: HttpRequest): void {
    void edgeOf(http).reply.redirect('/console/', 308);
  }

  @Get(consoleRows.any.path)
  @Carries(consoleRows.any)
  async show(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    const file = consoleFile(http.params['*'] ?? '');
    const type = typeOf(file);
    if (type === undefined) throw noRoute();
    const isFixed = file.startsWith('assets/');
    return sendBuilt(http, { path: join(folder, file), type, isFixed, headers: consoleHeaders });
  }
}
