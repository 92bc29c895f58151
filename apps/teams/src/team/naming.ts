import { Refused } from '@carillon/eventing';
import { memberOf, type Team } from './team';

/** Only people who are in the team at this moment can be named. Refused `member.not_found`. */
export function insistOnMembers(team: Team, accountIds: readonly string[]): void {
  if (!accountIds.every((accountId) => memberOf(team, accountId))) throw new Refused('member.not_found');
}

/** Whether names differ in no more than their case. Upper case also takes `ß` for `SS`, and both small sigmas for one. */
export const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.normalize('NFC').toUpperCase();
