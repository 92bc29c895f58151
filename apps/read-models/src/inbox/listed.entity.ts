import type { ListInbox } from '@carillon/contracts';
import type { Condition } from '@carillon/signing';
import { itemText, projectText } from './forgotten-items.worker';
import { likeOf } from './inbox';
import { isUnread, itemOrder, itemsWithMarks, newestUnread } from './read-state';

/**
 * SQL condition for items whose title or body contains a text in any case; `parameter` is the text's `likeOf` (ADR 24).
 */
export const hasText = (parameter: string): string =>
  `(${itemText.isHidden} IS NULL AND (i.title ILIKE ${parameter} OR i.body ILIKE ${parameter}))`;

/** What follows the columns in the SELECT of a list: its newest items, at most `count`, those after a key if given. */
export function listed(
  accountId: string,
  { projectId, unread, q }: Pick<ListInbox, 'projectId' | 'unread' | 'q'>,
  count: number,
  after?: (first: number) => Condition,
): { readonly from: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [accountId, count];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['i.account_id = $1'];
  const project = projectId === undefined ? undefined : given(projectId === 'none' ? '' : projectId);
  if (project !== undefined) conditions.push(`i.project_id = ${project}`);
  const next = after?.(values.length + 1);
  if (next) {
    values.push(...next.values);
    conditions.push(next.text);
  }
  if (unread && q === undefined)
    conditions.push(`i.item_id = ANY (ARRAY(${newestUnread('$2', conditions.join(' AND '), project)}))`);
  else if (unread !== undefined) conditions.push(`${unread ? '' : 'NOT '}${isUnread}`);
  if (q !== undefined) conditions.push(hasText(given(likeOf(q))));
  return {
    from: `FROM ${itemsWithMarks} ${itemText.join} ${projectText.join} WHERE ${conditions.join(' AND ')}
      ORDER BY ${itemOrder.by} LIMIT $2`,
    values,
  };
}
