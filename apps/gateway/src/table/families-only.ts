import { setting } from '@carillon/runtime';

/**
 * Who asks for a workplace team, or does not say what, hears that nobody gets one here, whatever else is wrong; unless
 * this installation lets everybody make one.
 */
export const familiesOnly = {
  refusesUnread: ({ kind }: { readonly kind?: unknown }): string | undefined =>
    (kind === undefined || kind === 'team') && setting('TEAMS_MODE', 'operator') !== 'open'
      ? 'team.signup_unavailable'
      : undefined,
};
