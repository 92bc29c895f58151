import type { AnyEvent } from '@carillon/contracts';
import { newId } from '@carillon/signing';
import { eventReceived, interactionAsked, notificationSent, pageNotified } from '@carillon/testkit';
import { isPushed, displayOf, sourceCategory, subjectsOf } from './pushed';

const asked = interactionAsked({
  interactionId: 'int_1',
  askedAt: '2026-11-20T09:00:00.000Z',
  expiresAt: '2026-11-20T09:00:30.000Z',
});

describe('pushed events', () => {
  it('are notifications, events, and prompts that are shown as notifications', () => {
    expect(isPushed(notificationSent())).toBe(true);
    expect(isPushed(eventReceived())).toBe(true);
    expect(isPushed(asked)).toBe(true);
  });

  it('of a page step are one push to each person who has a phone, shown under the id of the page', () => {
    const paged = pageNotified({
      people: [
        { accountId: 'usr_1', pushId: 'psh_1', deviceIds: ['dev_1', 'dev_2'] },
        { accountId: 'usr_2', pushId: 'psh_2', deviceIds: [] },
        { accountId: 'usr_3', pushId: 'psh_3', deviceIds: ['dev_3'] },
      ],
    });
    expect(isPushed(paged)).toBe(true);
    expect(subjectsOf(paged)).toMatchObject([
      { id: 'psh_1', accountId: 'usr_1', deviceIds: ['dev_1', 'dev_2'] },
      { id: 'psh_3', accountId: 'usr_3', deviceIds: ['dev_3'] },
    ]);
    expect(displayOf(paged).id).toBe('page_1');
  });

  it('exclude prompts shown as live activities, and all other events', () => {
    expect(isPushed(interactionAsked({ presentation: 'live_activity' }))).toBe(false);
    expect(isPushed({ type: 'InteractionCanceled' } as AnyEvent)).toBe(false);
  });

  it('are sent until they expire, for prompts', () =>
    expect(displayOf(asked)).toEqual({
      id: 'int_1',
      sentAt: '2026-11-20T09:00:00.000Z',
      expiresAt: '2026-11-20T09:00:30.000Z',
    }));

  it.each([
    ['anot', 'notification'],
    ['evt', 'event'],
    ['int', 'interaction'],
    ['dev', undefined],
    ['constructor', undefined],
  ])('under an id that begins with %s comes from %s', (prefix, category) =>
    expect(sourceCategory(newId(prefix, 0))).toBe(category),
  );

  it.each(['', 'int', 'int_1', '_', 'nonsense'])('have no source category for "%s"', (id) =>
    expect(sourceCategory(id)).toBeUndefined(),
  );
});
