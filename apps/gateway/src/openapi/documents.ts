import { dump } from 'js-yaml';
import { agentApi, sessionApi } from './apis';
import { documentOf, type OpenApi } from './document';

const asJson = (document: OpenApi): string => `${JSON.stringify(document, null, 2)}\n`;
const asYaml = (document: OpenApi): string => dump(document, { noRefs: true, lineWidth: 110 });

/** The documents by file name. Those in YAML are kept in docs/openapi, of which the build makes what is served. */
export function documents(): Readonly<Record<string, string>> {
  const agent = documentOf(agentApi);
  const session = documentOf(sessionApi);
  return {
    'agent.json': asJson(agent),
    'agent.yaml': asYaml(agent),
    'session.json': asJson(session),
    'session.yaml': asYaml(session),
  };
}
