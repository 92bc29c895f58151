/** All users of a story share one IP address, and are faster than real users. */
const capacityForStories = {
  CARILLON_PUBLIC_REQUESTS_PER_MINUTE: '100000',
  CARILLON_SIGNUPS_PER_HOUR: '100000',
  CARILLON_SESSION_REQUESTS_PER_MINUTE: '100000',
};

const noLimits = {
  ...capacityForStories,
  CARILLON_ACCOUNT_PER_MINUTE: '1000000',
  CARILLON_SERVICE_PER_MINUTE: '1000000',
  CARILLON_TOKEN_REQUESTS_PER_MINUTE: '1000000',
  CARILLON_ACCOUNT_REQUESTS_PER_MINUTE: '1000000',
  CARILLON_AUTH_FAILURES_PER_MINUTE: '1000000',
  CARILLON_PAGES_PER_MINUTE: '1000000',
  CARILLON_OAUTH_TOKEN_PER_MINUTE: '1000000',
  CARILLON_OAUTH_REGISTER_PER_HOUR: '1000000',
  CARILLON_OAUTH_DEVICE_PER_MINUTE: '1000000',
};

/** Whether a house limits request rates; by default it does, with limits high enough for a story. */
export type HouseLimits = 'off';

export const limitSettings = (limits?: HouseLimits): Record<string, string> =>
  limits === 'off' ? noLimits : capacityForStories;
