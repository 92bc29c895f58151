/** All scopes that an agent's token can have, in the order of the API. */
export const scopes = [
  'notifications:send',
  'interactions:create',
  'interactions:read',
  'activities:read',
  'activities:write',
  'services:read',
  'services:write',
  'devices:read',
  'events:read',
  'apps:read',
  'apps:write',
  'devices:write',
  'inbox:read',
  'inbox:write',
  'billing:read',
  'tokens:manage',
  'teams:read',
  'teams:write',
  'oncall:read',
  'oncall:write',
  'connectors:read',
  'connectors:write',
] as const;

export type Scope = (typeof scopes)[number];

/** Scopes of an agent that tells and asks its person, and nothing else. */
export const basicScopes: readonly Scope[] = [
  'notifications:send',
  'interactions:create',
  'interactions:read',
  'activities:read',
  'activities:write',
];

/** The scopes that a person can grant to a client by OAuth: an agent must not manage tokens of its owner. */
export const grantableScopes: readonly Scope[] = scopes.filter((scope) => scope !== 'tokens:manage');

/** Whether the scope changes something. */
export const isWriteScope = (scope: Scope): boolean => !scope.endsWith(':read');
