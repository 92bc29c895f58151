import type { AccountEvent } from './accounts.events';

/** Account event types that projections ignore if they follow accounts only to erase their data. */
export const profileEventTypes = [
  'AccountOpened',
  'ProfileChanged',
  'PasswordChanged',
  'PasswordRemoved',
  'PasskeyAdded',
  'PasskeyUsed',
  'PasskeyDisabled',
  'PasskeyRemoved',
  'IdentityLinked',
  'IdentityUnlinked',
  'EmailVerified',
  'AccountSuspended',
  'AccountResumed',
  'OperatorChanged',
  'AccountDeleted',
] as const satisfies readonly AccountEvent['type'][];
