import type { ListInbox } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { hasText, likeOf } from './inbox';
import { isUnread, itemsWithMarks, key, newestUnread } from './read-state';

/** What follows the columns in the SELECT of a list: its newest items, at most `count`, below `after` if given. */
export function listed(
  accountId: string,
  { projectId, unread, q }: Pick<ListInbox, 'projectId' | 'unread' | 'q'>,
  count: number,
  after?: { readonly at: Instant; readonly id: string },
): { readonly from: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [accountId, count];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['i.account_id = $1'];
  const project = projectId === undefined ? undefined : given(projectId === 'none' ? '' : projectId);
  if (project !== undefined) conditions.push(`i.project_id = ${project}`);
  if (after) conditions.push(`${key} < (${given(after.at)}::timestamptz, ${given(after.id)})`);
  if (unread && q === undefined)
    conditions.push(`i.item_id = ANY (ARRAY(${newestUnread('$2', conditions.join(' AND '), project)}))`);
  else if (unread !== undefined) conditions.push(`${unread ? '' : 'NOT '}${isUnread}`);
  if (q !== undefined) conditions.push(hasText('i', given(likeOf(q))));
  return {
    from: `FROM ${itemsWithMarks} WHERE ${conditions.join(' AND ')}
      ORDER BY i.created_at DESC, i.item_id DESC LIMIT $2`,
    values,
  };
}
