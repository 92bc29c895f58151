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
