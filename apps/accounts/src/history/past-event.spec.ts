import type { Recorded } from '@carillon/eventing';
import { pastEvent } from './past-event';

const recorded = (data: object): Recorded =>
  ({ type: 'Happened', at: '2026-11-20T09:00:00.000Z', event: { type: 'Happened', ...data } }) as Recorded;

describe('a past event, as its account may have it', () => {
  it('says what happened and when', () =>
    expect(pastEvent(recorded({ tokenId: 'tok_1', name: 'CI' }))).toEqual({
      type: 'Happened',
      at: '2026-11-20T09:00:00.000Z',
      data: { tokenId: 'tok_1', name: 'CI' },
    }));

  it('has no secret, nor what is made from one, however deep it stands', () => {
    const kept = { url: 'https://bot.test', headers: [{ name: 'x-key' }] };
    const secret = {
      passwordHash: 'x',
      secretHash: 'x',
      hookHash: 'x',
      pushToken: 'x',
      pushToStartToken: 'x',
      token: 'x',
      sealedSecret: 'x',
      wrapped: 'x',
      installId: 'x',
      headers: [{ name: 'x-key', sealedValue: 'x' }],
    };
    expect(pastEvent(recorded({ ...kept, ...secret })).data).toEqual(kept);
  });
});
