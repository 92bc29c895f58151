/** Who asks for a workplace team, or does not say what, hears that nobody gets one here, whatever else is wrong. */
export const familiesOnly = {
  refusesUnread: ({ kind }: { readonly kind?: unknown }): string | undefined =>
    kind === undefined || kind === 'team' ? 'team.signup_unavailable' : undefined,
};
