import { given } from '@carillon/testkit';
import { claim, keyTail, pageKey } from './page-key';

const at = '2026-11-20T09:00:00.000Z';
const claimed = { type: 'PageKeyClaimed', groupId: 'ocg_1', pageId: 'page_1', claimedAt: at } as const;
const claiming = { groupId: 'ocg_1', pageId: 'page_1', insteadOf: null, at };

describe('a key of pages', () => {
  it('refers to the page of the first claim', () => {
    given(pageKey).when(claim(claiming)).then(claimed);
    given(pageKey, claimed)
      .when(claim({ ...claiming, pageId: 'page_2' }))
      .thenNothing();
  });

  it('is claimed once', () => given(pageKey, claimed).when(claim(claiming)).thenNothing());

  it('refers to another page when the previous one is over', () =>
    given(pageKey, claimed)
      .when(claim({ ...claiming, pageId: 'page_2', insteadOf: 'page_1' }))
      .then({ ...claimed, pageId: 'page_2' }));

  it('is another in each group', () => {
    expect(keyTail('ocg_1', 'db')).not.toBe(keyTail('ocg_2', 'db'));
    expect(keyTail('ocg_1', 'db')).toBe(keyTail('ocg_1', 'db'));
    expect(keyTail('ocg_1', 'db')).not.toContain('db');
  });
});
