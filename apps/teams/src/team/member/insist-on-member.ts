import { Refused } from '@carillon/eventing';
import { type Member, memberOf, type Team } from '../team';

/** Refused `member.unknown` if the team has no such member. */
export function insistOnMember(team: Team, memberId: string): Member {
  const member = memberOf(team, memberId);
  if (!member) throw new Refused('member.unknown');
  return member;
}
