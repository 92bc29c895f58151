import { checkoutOf } from '@carillon/settings';
import { Controller, Get, Req } from '@nestjs/common';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sendBuilt } from '../built/built-file';
import { Carries } from '../request/carries';
import type { HttpRequest, Row } from '../request/row';

const row = (file: string): Row => ({
  method: 'GET',
  path: `/openapi/${file}`,
  access: 'public',
  scopes: [],
  rate: 'public',
});

export const openapiRows = {
  agentJson: row('agent.json'),
  agentYaml: row('agent.yaml'),
  sessionJson: row('session.json'),
  sessionYaml: row('session.yaml'),
};

/** Made by tools/docs.mjs of docs/openapi, which a spec holds to the tables. */
const folder = join(checkoutOf(import.meta.dirname, existsSync), 'dist/openapi');

/** Serves the API documents, outside the prefixes of the APIs since they need no credential. */
@Controller()
export class OpenapiController {
  @Get(openapiRows.agentJson.path)
  @Carries(openapiRows.agentJson)
  agentJson(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    return this.send(http, 'agent.json');
  }

  @Get(openapiRows.agentYaml.path)
  @Carries(openapiRows.agentYaml)
  agentYaml(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    return this.send(http, 'agent.yaml');
  }

  @Get(openapiRows.sessionJson.path)
  @Carries(openapiRows.sessionJson)
  sessionJson(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    return this.send(http, 'session.json');
  }

  @Get(openapiRows.sessionYaml.path)
  @Carries(openapiRows.sessionYaml)
  sessionYaml(@Req() http: HttpRequest): Promise<Buffer | undefined> {
    return this.send(http, 'session.yaml');
  }

  private send(http: HttpRequest, file: string): Promise<Buffer | undefined> {
    const type = file.endsWith('.json') ? 'application/json' : 'application/yaml';
    return sendBuilt(http, {
      path: join(folder, file),
      type: `${type}; charset=utf-8`,
      isFixed: false,
      headers: {},
    });
  }
}
