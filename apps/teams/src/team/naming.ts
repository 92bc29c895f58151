import { Refused } from '@carillon/eventing';
import { memberOf, type Team } from './team';

/** Requires that all accounts are current members of the team. Refused `member.not_found`. */
export function insistOnMembers(team: Team, accountIds: readonly string[]): void {
  if (!accountIds.every((accountId) => memberOf(team, accountId))) throw new Refused('member.not_found');
}

/** Whether names are equal ignoring case. Upper-casing also equates `ß` with `SS`, and both small sigmas. */
export const sameName = (one: string, other: string): boolean => folded(one) === folded(other);

const folded = (name: string): string => name.normalize('NFC').toUpperCase();
