import { basicScopes, grantableScopes, isWriteScope, type Scope } from '@carillon/contracts';

/** Parameters of OpenID Connect, which is not offered: clients that send them get tokens all the same. */
const ofOpenId = ['nonce', 'max_age', 'acr_values', 'id_token_hint', 'claims', 'claims_locales'];
/** Scopes that are no rights: a refresh token is always given, and there are no id tokens. */
const noRights: ReadonlySet<string> = new Set(['openid', 'offline_access']);

/**
 * The query of an authorization request with the scopes that can be granted of those that it names, or the basic ones
 * when it names none. The scopes stay where none of them can be granted, so that the request is refused.
 */
export function authorizationQuery(query: string): string {
  const params = new URLSearchParams(query);
  for (const name of ofOpenId) params.delete(name);
  const named = (params.get('scope') ?? '')
    .split(' ')
    .filter((scope) => scope !== '' && !noRights.has(scope));
  if (params.getAll('scope').length > 1) return params.toString();
  const granted = named.length === 0 ? basicScopes : grantableIn(named);
  params.set('scope', (granted.length > 0 ? granted : named).join(' '));
  return params.toString();
}

/** The scopes among these texts that a person can grant, in the order of the API. */
export const grantableIn = (texts: readonly string[]): Scope[] =>
  grantableScopes.filter((scope) => texts.includes(scope));

export interface ScopeChoice {
  scope: Scope;
  basic: boolean;
  write: boolean;
  preselected: boolean;
}

/** A check box for each scope; those that change something begin unchecked, but for the basic ones. */
export const choicesOf = (scopes: readonly Scope[]): ScopeChoice[] =>
  scopes.map((scope) => {
    const [basic, write] = [basicScopes.includes(scope), isWriteScope(scope)];
    return { scope, basic, write, preselected: basic || !write };
  });
