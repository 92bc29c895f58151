import type { ActivityAdmitted } from '@carillon/contracts';
import { plus } from '@carillon/eventing';
import { begun } from './activity/props';
import type { Admitting } from './board/board';

export const at = '2026-11-20T09:00:00.000Z';
export const idOf = (number: number): string => `act_01hzzzzzzz${String(number).padStart(16, '0')}`;

/** The request to admit an activity to a board. */
export const asking = (number: number, more: Partial<Admitting> = {}): Admitting => ({
  activityId: idOf(number),
  accountId: 'usr_1',
  tokenId: 'tok_1',
  sourceName: 'CI',
  key: null,
  replace: false,
  props: begun({ title: 'Build' }),
  prompt: null,
  deviceIds: ['dev_1', 'dev_2'],
  fingerprint: null,
  expiresAt: plus(at, 28_800_000),
  at,
  ...more,
});

/** The event of that admission. */
export const admitted = (
  number: number,
  more: Partial<Admitting> = {},
  replacedId: string | null = null,
): ActivityAdmitted => {
  const { replace: _replace, leavingId: _leavingId, at: admittedAt, ...admission } = asking(number, more);
  return { type: 'ActivityAdmitted', ...admission, replacedId, admittedAt };
};
