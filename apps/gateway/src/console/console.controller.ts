import { checkoutOf } from '@carillon/settings';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { noRoute } from '../errors/api-error';
import { Carries } from '../request/carries';
import { encodingFor } from '../request/encoding';
import type { HttpRequest, Row } from '../request/row';
import { consoleHeaders, type ServedFile, servedFiles } from './files';

const row = (path: string): Row => ({ method: 'GET', path, access: 'public', scopes: [] });

export const consoleRows = { bare: row('/console'), any: row('/console/*') };

/** Made by tools/build.mjs. */
const folder = join(checkoutOf(import.meta.dirname, existsSync), 'dist/apps/console');

/** Serves the console of the browser: its files from memory, and its document for every other path. */
@Controller()
export class ConsoleController {
  private readonly files = servedFiles(folder);

  @Get(consoleRows.bare.path)
  @Carries(consoleRows.bare)
  redirect(@Res() reply: FastifyReply): void {
    void reply.redirect('/console/', 308);
  }

  @Get(consoleRows.any.path)
  @Carries(consoleRows.any)
  show(@Req() request: HttpRequest, @Res() reply: FastifyReply): void {
    const name = request.params['*'] ?? '';
    const isFile = this.files.has(name) || /^assets\/|^[^/]*\.[^/]*$/.test(name);
    this.send(isFile ? name : 'index.html', request, reply);
  }

  private send(name: string, { headers }: HttpRequest, reply: FastifyReply): void {
    const file = this.files.get(name);
    if (!file) throw noRoute();
    const encoding = encodingFor(headers['accept-encoding'], (form) => file[form] !== undefined);
    void reply
      .headers(consoleHeaders(name))
      .headers(encoding ? { 'content-encoding': encoding } : {})
      .send(bytesOf(file, encoding));
  }
}

const bytesOf = (file: ServedFile, encoding: 'br' | 'gzip' | undefined): Buffer =>
  (encoding && file[encoding]) ?? file.plain;
