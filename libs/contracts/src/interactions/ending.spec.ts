import { endOf } from './ending';
import type { InteractionEnded } from './interactions.events';

const at = '2026-11-20T09:00:00.000Z';

describe('how a prompt ended', () => {
  it.each([
    [{ type: 'InteractionAnswered', status: 'approved', answeredAt: at }, 'approved'],
    [{ type: 'InteractionAnswered', status: 'replied', answeredAt: at }, 'replied'],
    [{ type: 'InteractionCanceled', canceledAt: at }, 'canceled'],
    [{ type: 'InteractionExpired', expiredAt: at }, 'expired'],
  ])('%j: %s', (event, status) => expect(endOf(event as InteractionEnded)).toEqual({ status, at }));
});
