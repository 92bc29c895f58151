import type { ConnectorRouteFact, NewConnectorRoute } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';

/**
 * The routes of a request as they are kept. Refused `input.invalid` when two have one name, or one is not on the
 * hostname.
 */
export function routesOf(given: readonly NewConnectorRoute[], hostname: string): ConnectorRouteFact[] {
  const names = new Set<string>();
  const issues = given.flatMap(({ name, url }, index) => {
    const isAgain = names.has(name);
    names.add(name);
    return [
      ...(isAgain
        ? [issue(index, 'name', 'not_unique', 'must not be the name of another route of the connector')]
        : []),
      ...(isOn(hostname, url)
        ? []
        : [
            issue(
              index,
              'url',
              'invalid_value',
              'must be https:// and the hostname of the connector, or below it',
            ),
          ]),
    ];
  });
  if (issues.length > 0) throw new Refused('input.invalid', { issues });
  return given.map(({ name, target, url, appId = null, enabled = true }) => ({
    name,
    target,
    url,
    appId,
    enabled,
  }));
}

/** The web apps that routes serve. */
export const appsOf = (routes: readonly ConnectorRouteFact[]): string[] =>
  routes.flatMap(({ appId }) => (appId === null ? [] : [appId]));

/** Below it is a path: what a browser is sent to has neither a port nor what the program at the other end adds. */
function isOn(hostname: string, url: string): boolean {
  const { origin, search, hash } = new URL(url);
  return origin === `https://${hostname}` && search === '' && hash === '';
}

const issue = (index: number, field: string, code: string, message: string) => ({
  path: `routes.${index}.${field}`,
  message,
  code,
});
