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
export function rateHeaders(statuses: readonly PolicyState[]): Record<string, string> {
  const [first, ...rest] = statuses;
  if (!first) return {};
  const nearest = rest.reduce(
    (near, standing) => (standing.remaining / standing.limit < near.remaining / near.limit ? standing : near),
    first,
  );
  return {
    'ratelimit-policy': statuses.map((s) => `"${s.name}";q=${s.limit};w=${s.windowSeconds}`).join(', '),
    ratelimit: `"${nearest.name}";r=${nearest.remaining};t=${nearest.resetSeconds}`,
  };
}
