import type { AppOpened } from '@carillon/contracts';
import { type Decider, type Decision, type Instant, isAfter } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';

/** When the person last opened the app; null before the first time. */
export const appUse: Decider<Instant | null, AppOpened> = {
  category: 'app_use',
  initial: null,
  evolve: (_state, { openedAt }) => openedAt,
  personal: { AppOpened: [] },
};

export interface AppOpening {
  readonly appId: string;
  readonly userId: string;
  readonly at: Instant;
}

export const useKey = ({ appId, userId }: Pick<AppOpening, 'appId' | 'userId'>): string =>
  `${streamTail(appId)}_${streamTail(userId)}`;

/** Of several concurrent openings the latest counts. */
export const openApp: Decision<Instant | null, AppOpened, AppOpening> =
  ({ appId, userId, at }) =>
  (last) =>
    last !== null && !isAfter(at, last) ? [] : [{ type: 'AppOpened', appId, userId, openedAt: at }];
