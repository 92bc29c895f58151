import type { TeamEvent } from '@carillon/contracts';
import { inMemoryEventStore, Keys, Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { logger } from '@carillon/runtime';
import { KeyRing } from '@carillon/signing';
import { contextOf, family, inviteCreated, streamMetadata, workplaceTeam } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { FamilyQuotas } from '../family-quotas.service';
import { team } from '../team';
import { Acceptance } from './acceptance.service';

const at = '2026-11-20T10:00:00.000Z';

/** Replicas that share only the log. */
function replicas() {
  const store = inMemoryEventStore();
  const keys = Keys.fromRing(KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`), store);
  const start = () => {
    const log = new Log(store, keys);
    const families = new FamilyQuotas(log, logger('test'));
    const acceptance = new Acceptance(log, families, logger('test'));
    const accept = async (accountId: string, teamId = 'team_1', now = at): Promise<string> => {
      try {
        const accepting = { teamId, inviteId: 'inv_1', accountId, address: null, at: now };
        await acceptance.accept(accepting, contextOf(accountId));
        return 'joined';
      } catch (error) {
        if (error instanceof Refused) return error.reason;
        throw error;
      }
    };
    return { log, families, accept };
  };
  const one = start();
  const make = (teamId: string, events: readonly TeamEvent[]) =>
    one.log.appendTo(
      team,
      teamId,
      [...events, inviteCreated()].map((event) => ({ ...event, teamId })),
      'no_stream',
      streamMetadata(teamId),
    );
  return { one, two: start(), make };
}
const people = (count: number) => Array.from({ length: count }, (_, n) => `usr_${n}`);

describe('an invite that many accept at once, on two replicas', () => {
  it('fills all seats of a family, and releases the slots of the refused accounts', async () => {
    const { one, two, make } = replicas();
    await make('team_1', family);
    await make('team_2', family.slice(0, 2));
    const outcomes = await Promise.all(people(20).map((who, n) => (n % 2 ? one : two).accept(who)));
    expect(outcomes.filter((outcome) => outcome === 'joined')).toHaveLength(2);
    expect(outcomes.filter((outcome) => outcome === 'family.capacity_exceeded')).toHaveLength(18);
    const { state } = await two.log.load(team, 'team_1');
    expect(state?.members).toHaveLength(4);
    const outside = people(20).filter((_, n) => outcomes[n] !== 'joined');
    expect(await one.accept(outside[0]!, 'team_2')).toBe('joined');
    const inside = people(20).filter((_, n) => outcomes[n] === 'joined');
    expect(await two.accept(inside[0]!, 'team_2')).toBe('family.exists');
  });

  it('refuses nobody while a seat is free', async () => {
    const { one, two, make } = replicas();
    await make('team_1', workplaceTeam);
    const outcomes = await Promise.all(people(60).map((who, n) => (n % 2 ? one : two).accept(who)));
    expect(new Set(outcomes)).toEqual(new Set(['joined']));
    expect((await one.log.load(team, 'team_1')).state?.members).toHaveLength(64);
  });
});

describe('an account whose acceptance crashed after it reserved a family slot', () => {
  it('can join another family a minute later, and this one at once', async () => {
    const { one, two, make } = replicas();
    await make('team_1', family);
    await make('team_2', family);
    await one.families.take({ accountId: 'usr_new', teamId: 'team_1', at }, streamMetadata('usr_new'));
    expect(await two.accept('usr_new', 'team_2')).toBe('family.exists');
    expect(await two.accept('usr_new', 'team_2', '2026-11-20T10:01:00.000Z')).toBe('joined');
    await one.families.take({ accountId: 'usr_other', teamId: 'team_1', at }, streamMetadata('usr_other'));
    expect(await two.accept('usr_other')).toBe('joined');
  });
});
