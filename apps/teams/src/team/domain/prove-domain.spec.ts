import type { TeamEvent } from '@carillon/contracts';
import { family, given, workplaceTeam } from '@carillon/testkit';
import { team } from '../team';
import { clearDomain, proveDomain, setDomain } from './prove-domain';

const at = '2026-11-20T10:00:00.000Z';
const asked = (accountId = 'usr_owner') => ({ teamId: 'team_1', accountId, at });
const acme = { domain: 'acme.com', token: 'first' };
const set: TeamEvent = { type: 'DomainSet', teamId: 'team_1', ...acme, setAt: at };
const proved: TeamEvent = { type: 'DomainVerified', teamId: 'team_1', domain: 'acme.com', verifiedAt: at };
const cleared: TeamEvent = { type: 'DomainCleared', teamId: 'team_1', clearedAt: at };
const other = { domain: 'acme.io', token: 'second' };

describe.each([
  ['naming a domain', (accountId: string) => setDomain({ ...asked(accountId), ...acme })],
  ['proving a domain', (accountId: string) => proveDomain({ ...asked(accountId), ...acme })],
  ['clearing a domain', (accountId: string) => clearDomain(asked(accountId))],
])('%s', (_what, by) => {
  it('is for the owner of a workplace team', () => {
    for (const accountId of ['usr_admin', 'usr_member'])
      given(team, ...workplaceTeam, set)
        .when(by(accountId))
        .thenRefused('team.forbidden_role');
    given(team, ...family)
      .when(by('usr_owner'))
      .thenRefused('team.feature_unavailable');
    given(team, ...workplaceTeam, set)
      .when(by('usr_stranger'))
      .thenRefused('team.unknown');
  });
});

describe('a domain', () => {
  it('is pending first', () =>
    given(team, ...workplaceTeam)
      .when(setDomain({ ...asked(), ...acme }))
      .then(set));
  it('keeps its challenge when it is named twice', () =>
    given(team, ...workplaceTeam, set)
      .when(setDomain({ ...asked(), domain: 'acme.com', token: 'another' }))
      .then());
  it('of a mailbox provider is refused as such before the role of the caller is checked', () => {
    const naming = (accountId: string) => setDomain({ ...asked(accountId), domain: 'gmail.com', token: 'x' });
    given(team, ...workplaceTeam)
      .when(naming('usr_owner'))
      .thenRefused('domain.public_mailbox');
    given(team, ...workplaceTeam)
      .when(naming('usr_admin'))
      .thenRefused('team.forbidden_role');
    given(team, ...workplaceTeam)
      .when(naming('usr_stranger'))
      .thenRefused('team.unknown');
  });
  it('is proved once', () => {
    given(team, ...workplaceTeam, set)
      .when(proveDomain({ ...asked(), ...acme }))
      .then(proved);
    given(team, ...workplaceTeam, set, proved)
      .when(proveDomain({ ...asked(), ...acme }))
      .then();
  });
  it('is not proved by what another needed', () => {
    const changed: TeamEvent = { type: 'DomainSet', teamId: 'team_1', ...other, setAt: at };
    given(team, ...workplaceTeam, set, changed)
      .when(proveDomain({ ...asked(), ...acme }))
      .thenRefused('domain.not_pending');
    given(team, ...workplaceTeam)
      .when(proveDomain({ ...asked(), ...acme }))
      .thenRefused('domain.not_pending');
  });
  it('is cleared once', () => {
    given(team, ...workplaceTeam, set, proved)
      .when(clearDomain(asked()))
      .then(cleared);
    given(team, ...workplaceTeam, set, proved, cleared)
      .when(clearDomain(asked()))
      .then();
  });
  it('that is proved stays while another is pending', () => {
    const changed: TeamEvent = { type: 'DomainSet', teamId: 'team_1', ...other, setAt: at };
    const state = [...workplaceTeam, set, proved, changed].reduce(team.evolve, team.initial);
    expect(state?.domain).toEqual({ verified: 'acme.com', pending: other });
  });
});
