import type { Row } from '../request/row';
import { authorizationServerRows } from './authorization-server';
import { oauthRows } from './oauth.controller';
import { protectedResourceRows } from './protected-resource';

const { token, register, revoke } = oauthRows;
const methods = new Map(
  [token, register, revoke, ...authorizationServerRows, ...protectedResourceRows].map(
    ({ path, method }: Row) => [path, method] as const,
  ),
);

/** Whether pages of every site may read what is answered at a path: it depends on no cookie. */
export const isForEverySite = (path: string): boolean => methods.has(path);

/** Browsers send no cookie where they are to read an answer with this. */
export const forEverySite = { 'access-control-allow-origin': '*' } as const;

/** The answer to a browser that asks before a request from a page of another site. */
export function preflight(path: string): Readonly<Record<string, string>> {
  return {
    'access-control-allow-methods': methods.get(path) ?? '',
    'access-control-allow-headers': 'accept, authorization, content-type, mcp-protocol-version',
    'access-control-max-age': '7200',
  };
}
