/** A rate limit. */
export interface Policy {
  /** Its name in the `RateLimit` headers. */
  readonly name: string;
  readonly key: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

export interface PolicyState extends Policy {
  readonly granted: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** The values of `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-11). */
export function rateHeaders(states: readonly PolicyState[]): Record<string, string> {
  const [first, ...rest] = states;
  if (!first) return {};
  const nearest = rest.reduce(
    (near, state) => (state.remaining / state.limit < near.remaining / near.limit ? state : near),
    first,
  );
  return {
    'ratelimit-policy': states.map((s) => `"${s.name}";q=${s.limit};w=${s.windowSeconds}`).join(', '),
    ratelimit: `"${nearest.name}";r=${nearest.remaining};t=${nearest.resetSeconds}`,
  };
}
