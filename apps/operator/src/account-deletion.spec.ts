import type { TeamMember } from '@carillon/contracts';
import { behindIn } from './account-commands';
import { heirs } from './account-deletion';
import { sealingKey } from './key-rotation';

describe('a team whose owner is deleted', () => {
  const member = (userId: string, role: TeamMember['role'], joinedAt: string): TeamMember => ({
    userId,
    role,
    joinedAt,
    name: userId,
    email: `${userId}@example.test`,
    image: null,
  });

  it('goes to the admin, else the member, with the longest membership', () => {
    const members = [
      member('owner', 'owner', '2026-01-01'),
      member('member', 'member', '2026-01-02'),
      member('new admin', 'admin', '2026-01-04'),
      member('admin', 'admin', '2026-01-03'),
    ];
    const order = heirs(members, 'owner').map(({ userId }) => userId);
    expect(order).toEqual(['admin', 'new admin', 'member']);
    expect(heirs(members.slice(0, 1), 'owner')).toEqual([]);
  });
});

it('a deletion waits for the rows that are not current, and sees whether they move', () => {
  const inbox = {
    service: 'read-models',
    projection: 'inbox',
    current: false,
    eventsBehind: 7,
    secondsBehind: 1,
    rebuilding: false,
  };
  expect(behindIn([{ ...inbox, current: true }])).toBe('');
  expect(behindIn([inbox, { ...inbox, projection: 'feed', eventsBehind: null }])).toBe(
    'read-models inbox 7, read-models feed null',
  );
});

it('keys are rotated to the key that every service seals with, and not before', () => {
  const ring = (service: string, sealsWith: string) => ({ service, sealsWith, opensWith: ['k2', 'k1'] });
  expect(sealingKey([ring('push', 'k2'), ring('teams', 'k2')])).toBe('k2');
  expect(() => sealingKey([ring('push', 'k2'), ring('teams', 'k1'), ring('accounts', 'k1')])).toThrow(
    'teams, accounts does not seal with k2 yet',
  );
});
