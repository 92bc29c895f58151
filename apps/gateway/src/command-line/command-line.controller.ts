import { checkoutOf } from '@carillon/settings';
import { Controller, Get, Header } from '@nestjs/common';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noRoute } from '../errors/api-error';
import { Carries } from '../request/carries';
import type { Row } from '../request/row';

export const commandLineRow: Row = {
  method: 'GET',
  path: '/cli/carillon.mjs',
  access: 'public',
  scopes: [],
  rate: 'public',
};

/** Made by tools/build.mjs. */
const file = join(checkoutOf(import.meta.dirname, existsSync), 'dist/apps/cli/carillon.mjs');

/** Serves the command line as the one file that a person downloads. */
@Controller()
export class CommandLineController {
  private readonly text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;

  @Get(commandLineRow.path)
  @Header('content-type', 'text/javascript; charset=utf-8')
  @Carries(commandLineRow)
  show(): string {
    if (this.text === undefined) throw noRoute();
    return this.text;
  }
}
