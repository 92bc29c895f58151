import type { InteractionEnded, PushReceipt } from '@carillon/contracts';
import type { DomainEvent, Recorded } from '@carillon/eventing';
import { interactionAsked, pageNotified } from '@carillon/testkit';
import { clearedBy, clearingOf, clearingResult, isEnded, notReached, shownIdOf } from './clearing';

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

describe('what leaves the phones', () => {
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

  it('is a page under its own id, whichever step had brought it', () =>
    expect(shownIdOf('psh_1', recorded(pageNotified()))).toBe('page_1'));

  it('is everything else under the id that it was pushed with', () => {
    expect(shownIdOf('int_1', recorded(interactionAsked()))).toBe('int_1');
    expect(shownIdOf('anot_1', undefined)).toBe('anot_1');
  });
});

describe('the end of a prompt', () => {
  it.each(ends)('is $type', (event) => expect(isEnded(event)).toBe(true));

  it.each(ends)('as $type clears no notification when it was shown as a live activity', (event) =>
    expect(isEnded({ ...event, presentation: 'live_activity' } as InteractionEnded)).toBe(false),
  );

  it('is not its beginning', () => expect(isEnded(interactionAsked())).toBe(false));
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
