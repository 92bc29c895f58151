import type { InteractionEnded, PushReceipt } from '@carillon/contracts';
import type { DomainEvent, Recorded } from '@carillon/eventing';
import { interactionAsked, pageNotified } from '@carillon/testkit';
import { clearedBy, clearingOf, clearingResult, isEnded, notReached, notificationIdOf } from './clearing';

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

describe('the notification id to clear', () => {
  const recorded = <Event extends DomainEvent>(event: Event): Recorded<Event> => ({
    id: 'e',
    stream: 's-1',
    revision: 0n,
    position: 0n,
    at,
    type: event.type,
    event,
    metadata: { commandId: 'c', correlationId: 'c', accountId: 'usr_1', actor: {} },
  });

  it('is the id of a page itself, whichever step was pushed', () =>
    expect(notificationIdOf('psh_1', recorded(pageNotified()))).toBe('page_1'));

  it('is the push id for everything else', () => {
    expect(notificationIdOf('int_1', recorded(interactionAsked()))).toBe('int_1');
    expect(notificationIdOf('anot_1', undefined)).toBe('anot_1');
  });
});

describe('the end of a prompt', () => {
  it.each(ends)('is $type', (event) => expect(isEnded(event)).toBe(true));

  it.each(ends)('as $type clears no notification when it was shown as a live activity', (event) =>
    expect(isEnded({ ...event, presentation: 'live_activity' } as InteractionEnded)).toBe(false),
  );

  it('is not its start', () => expect(isEnded(interactionAsked())).toBe(false));
});

describe('the id of a clearing', () => {
  it('contains the id of the cleared push', () => expect(clearedBy(clearingOf('int_1'))).toBe('int_1'));

  it('is distinguished from the id of a push', () => {
    expect(clearedBy('int_1')).toBeUndefined();
    expect(clearingOf('int_1')).not.toBe('int_1');
  });
});

describe('the result of a clearing', () => {
  const receipt = (status: PushReceipt['status'], errorCode: string | null): PushReceipt => ({
    id: 'rcp_1',
    deviceId: 'dev_1',
    status,
    errorCode,
    checkedAt: at,
  });

  it('counts the phones that may have received the push, and those whose provider accepted the command', () =>
    expect(
      clearingResult([
        receipt('accepted', null),
        receipt('error', 'Unregistered'),
        receipt('unknown', 'expired'),
        receipt('error', notReached),
      ]),
    ).toEqual({ reached: 3, cleared: 1 }));

  it('is zero when no phone received the push', () =>
    expect(clearingResult([receipt('error', notReached)])).toEqual({ reached: 0, cleared: 0 }));
});
