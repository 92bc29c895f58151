import type { AnyEvent, InteractionAsked } from '@carillon/contracts';
import { newId } from '@carillon/signing';
import { isPushed, sourceCategory, subjectOf } from './pushed';

const asked = {
  type: 'InteractionAsked',
  interactionId: 'int_1',
  presentation: 'notification',
  askedAt: '2026-11-20T09:00:00.000Z',
  expiresAt: '2026-11-20T09:00:30.000Z',
} as InteractionAsked;

describe('what is pushed', () => {
  it('are notifications, events, and prompts that are shown as notifications', () => {
    expect(isPushed({ type: 'NotificationSent' } as AnyEvent)).toBe(true);
    expect(isPushed({ type: 'EventReceived' } as AnyEvent)).toBe(true);
    expect(isPushed(asked)).toBe(true);
  });

  it('is no prompt that is shown as a live activity, and nothing else', () => {
    expect(isPushed({ ...asked, presentation: 'live_activity' } as InteractionAsked)).toBe(false);
    expect(isPushed({ type: 'InteractionCanceled' } as AnyEvent)).toBe(false);
  });

  it('is offered as long as it can be answered, when it is a prompt', () =>
    expect(subjectOf(asked)).toEqual({
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

  it.each(['', 'int', 'int_1', '_', 'nonsense'])('is nothing under "%s"', (id) =>
    expect(sourceCategory(id)).toBeUndefined(),
  );
});
