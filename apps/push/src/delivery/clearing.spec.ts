import type { AnyEvent, InteractionEnded, PushReceipt } from '@carillon/contracts';
import { clearedBy, clearingOf, clearingResult, isEnded, notReached } from './clearing';

const at = '2026-11-20T09:00:00.000Z';
const ending = {
  interactionId: 'int_1',
  accountId: 'usr_1',
  presentation: 'notification',
  liveActivityId: null,
  webhookIds: [],
} as const;
const ends: readonly InteractionEnded[] = [
  {
    ...ending,
    type: 'InteractionAnswered',
    status: 'approved',
    response: 'approved',
    respondingUserId: 'usr_1',
    respondingDeviceId: null,
    answeredAt: at,
  },
  { ...ending, type: 'InteractionCanceled', canceledAt: at },
  { ...ending, type: 'InteractionExpired', expiredAt: at },
];

describe('the end of a prompt', () => {
  it.each(ends)('is $type', (event) => expect(isEnded(event)).toBe(true));

  it.each(ends)('as $type clears no notification when it was shown as a live activity', (event) =>
    expect(isEnded({ ...event, presentation: 'live_activity' } as InteractionEnded)).toBe(false),
  );

  it('is not its beginning', () => expect(isEnded({ type: 'InteractionAsked' } as AnyEvent)).toBe(false));
});

describe('the id of a clearing', () => {
  it('names what is cleared', () => expect(clearedBy(clearingOf('int_1'))).toBe('int_1'));

  it('is told from the id of a push', () => {
    expect(clearedBy('int_1')).toBeUndefined();
    expect(clearingOf('int_1')).not.toBe('int_1');
  });
});

describe('what became of a clearing', () => {
  const receipt = (status: PushReceipt['status'], errorCode: string | null): PushReceipt => ({
    id: 'rcp_1',
    deviceId: 'dev_1',
    status,
    errorCode,
    checkedAt: at,
  });

  it('counts the phones that may have had the push, and those whose provider took the command', () =>
    expect(
      clearingResult([
        receipt('accepted', null),
        receipt('error', 'Unregistered'),
        receipt('unknown', 'expired'),
        receipt('error', notReached),
      ]),
    ).toEqual({ reached: 3, cleared: 1 }));

  it('is nothing when no phone had it', () =>
    expect(clearingResult([receipt('error', notReached)])).toEqual({ reached: 0, cleared: 0 }));
});
