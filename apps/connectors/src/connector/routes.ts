import type { ConnectorRouteFact, NewConnectorRoute } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { isWithin, namesIn } from './callback-paths';

/**
 * The routes of a request as they are kept. Refused `input.invalid` when two have one name, one is not on the hostname,
 * or takes callbacks at a path that is not its own.
 */
export function routesOf(given: readonly NewConnectorRoute[], hostname: string): ConnectorRouteFact[] {
  const names = new Set<string>();
  const issues = given.flatMap(({ name, url, callbackPaths = [] }, index) => {
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
      ...callbackPaths.flatMap((path, at) =>
        isBelow(url, path)
          ? []
          : [
              issue(
                index,
                `callbackPaths.${at}`,
                'invalid_value',
                'must be a path without a query, at or below that of the url, without dot segments and encoded slashes',
              ),
            ],
      ),
    ];
  });
  if (issues.length > 0) throw new Refused('input.invalid', { issues });
  return given.map(({ name, target, url, appId = null, enabled = true, callbackPaths = [] }) => ({
    name,
    target,
    url,
    appId,
    enabled,
    ...(callbackPaths.length > 0 && { callbackPaths }),
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

function isBelow(url: string, path: string): boolean {
  if (!/^\/[\x21-\x7e]*$/.test(path) || /[?#\\]/.test(path)) return false;
  const [names, base] = [namesIn(path), namesIn(new URL(url).pathname)];
  return names !== undefined && base !== undefined && isWithin(names, base);
}

const issue = (index: number, field: string, code: string, message: string) => ({
  path: `routes.${index}.${field}`,
  message,
  code,
});
