import { costlyTexts } from '@carillon/testkit';
import { likeOf, markRead, markUnread, statusOf } from './inbox';

const unread = { accountId: 'usr_1', itemId: 'notification:anot_1', readAt: null };
const read = { ...unread, readAt: '2026-11-20T09:00:00.000Z' };
const at = '2026-11-20T10:00:00.000Z';

describe('marking an inbox item', () => {
  it('read, the first time', () =>
    expect(markRead({ at })(unread)).toEqual([
      { type: 'InboxItemRead', accountId: 'usr_1', itemId: 'notification:anot_1', readAt: at },
    ]));
  it('read, the second time: nothing happens', () => expect(markRead({ at })(read)).toEqual([]));
  it('unread, the first time', () =>
    expect(markUnread({ at })(read)).toEqual([
      { type: 'InboxItemUnread', accountId: 'usr_1', itemId: 'notification:anot_1', at },
    ]));
  it('unread, the second time: nothing happens', () => expect(markUnread({ at })(unread)).toEqual([]));
});

describe('the status of an item', () => {
  it.each([
    [0, 0, true, 'no_devices'],
    [1, 2, false, 'accepted'],
    [2, 2, true, 'delivered'],
    [1, 2, true, 'partial'],
    [0, 2, true, 'failed'],
  ] as const)('%i of %i accepted, final %s: %s', (accepted, targets, final, status) =>
    expect(statusOf(accepted, targets, final)).toBe(status),
  );
});

it('the work of a search grows with the length of what is looked for', () =>
  expect(costlyTexts(likeOf)).toEqual([]));
