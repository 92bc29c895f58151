import { setting } from '@carillon/runtime';

/**
 * A request for a workplace team, or for a team without a kind, is refused before its fields are validated, unless this
 * installation lets every account make workplace teams.
 */
export const familiesOnly = {
  refusesUnread: ({ kind }: { readonly kind?: unknown }): string | undefined =>
    (kind === undefined || kind === 'team') && setting('TEAMS_MODE', 'operator') !== 'open'
      ? 'team.signup_unavailable'
      : undefined,
};
