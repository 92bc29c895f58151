import type { Route } from '../routing/route';
import { type AnswerFields, isFields, textIn } from './answer';

/** What the program needs to know of its connector. */
export interface ServedConnector {
  readonly enabled: boolean;
  readonly hostname: string;
  readonly routes: readonly Route[];
}

/** The connector of an answer of the Agent API; undefined when it is none. */
export function connectorIn(body: AnswerFields): ServedConnector | undefined {
  const connector = body['connector'];
  if (!isFields(connector)) return undefined;
  const { enabled, routes } = connector;
  const hostname = textIn(connector, 'hostname');
  if (typeof enabled !== 'boolean' || hostname === undefined || !Array.isArray(routes)) return undefined;
  return { enabled, hostname, routes: routes.flatMap((route: unknown) => routeIn(route) ?? []) };
}

function routeIn(route: unknown): Route | undefined {
  if (!isFields(route)) return undefined;
  const [name, url, target] = [textIn(route, 'name'), textIn(route, 'url'), textIn(route, 'target')];
  if (name === undefined || url === undefined || target === undefined) return undefined;
  return { name, url, target, appId: textIn(route, 'appId') ?? null, enabled: route['enabled'] !== false };
}
