import type { AccountEvent } from './accounts.events';

/** What an account's stream tells, for who follows it only to forget what was the account's. */
export const profileEventTypes = [
  'AccountOpened',
  'ProfileChanged',
  'PasswordChanged',
  'EmailVerified',
  'AccountDeleted',
] as const satisfies readonly AccountEvent['type'][];
