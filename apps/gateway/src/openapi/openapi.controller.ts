import { Controller, Get, Header } from '@nestjs/common';
import type { Row } from '../request/row';
import { Carries } from '../request/carries';
import { documents } from './documents';

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

const json = 'application/json; charset=utf-8';
const yaml = 'application/yaml; charset=utf-8';

/** Serves the API documents, outside the prefixes of the APIs since they need no credential. */
@Controller('/openapi')
export class OpenapiController {
  /** Written when the gateway starts: it takes a good part of a second, for which no request may hold all others. */
  private readonly written = documents();

  @Get('agent.json')
  @Header('content-type', json)
  @Carries(openapiRows.agentJson)
  agentJson(): string {
    return this.document('agent.json');
  }

  @Get('agent.yaml')
  @Header('content-type', yaml)
  @Carries(openapiRows.agentYaml)
  agentYaml(): string {
    return this.document('agent.yaml');
  }

  @Get('session.json')
  @Header('content-type', json)
  @Carries(openapiRows.sessionJson)
  sessionJson(): string {
    return this.document('session.json');
  }

  @Get('session.yaml')
  @Header('content-type', yaml)
  @Carries(openapiRows.sessionYaml)
  sessionYaml(): string {
    return this.document('session.yaml');
  }

  private document(file: string): string {
    return this.written[file] as string;
  }
}
