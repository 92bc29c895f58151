import { About, Id, object, Text } from '@carillon/schema';
import { answers, Ok } from '../contract';
import { Team, TeamById } from './teams.contracts';

export class SetDomain {
  @Id('team') id!: string;
  @About('A registrable domain or one below it, such as `acme.com`; international names too.')
  @Text(1, 1024)
  domain!: string;
}

const OneTeam = object({ team: Team });
const ofOwners = ['team.unknown', 'team.feature_unavailable', 'team.forbidden_role'] as const;

export const TeamDomain = {
  /** Sets a domain, which is pending until it is proved. Until then a verified domain stays. */
  set: answers(OneTeam)('teams.domain.set', SetDomain, [
    ...ofOwners,
    'input.invalid',
    'domain.public_mailbox',
  ]),
  clear: answers(Ok)('teams.domain.clear', TeamById, ofOwners),
  /** Looks up the proof in the DNS. */
  verify: answers(OneTeam)('teams.domain.verify', TeamById, [
    ...ofOwners,
    'domain.not_pending',
    'domain.taken',
    'domain.txt_mismatch',
    'domain.resolver_error',
    'domain.verified_too_often',
  ]),
};
