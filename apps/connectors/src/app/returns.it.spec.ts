import { Apps } from '@carillon/contracts';
import { newAccount, outcomeOf } from '@carillon/testkit';
import { at, newUrl, Testbed } from '../testbed';

let bed: Testbed;
beforeAll(async () => {
  bed = await Testbed.open();
}, 60_000);
afterAll(() => bed?.close(), 60_000);

describe('a web app whose creator has left its team', () => {
  it.each<[string, (teamId: string, ann: string) => Promise<bigint>]>([
    ['they leave', (teamId, ann) => bed.leave(teamId, ann)],
    ['the team is deleted', (teamId) => bed.dissolve(teamId)],
    [
      'they are removed and come back',
      async (teamId, ann) => {
        bed.forget(teamId, ann);
        const removed = {
          type: 'MemberRemoved',
          teamId,
          accountId: ann,
          removedBy: 'usr_o',
          removedAt: at,
        } as const;
        await bed.tell(teamId, removed);
        return bed.join(teamId, ann);
      },
    ],
  ])('is theirs alone at once when %s, and soon in the log', async (_how, end) => {
    const [owner, ann] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(owner, ann);
    const { id, url } = await bed.added(ann);
    const others = await bed.added(owner);
    await bed.move(owner, others.id, teamId);
    await bed.move(ann, id, teamId);
    await end(teamId, ann);
    const back = await bed.get(ann, id);
    expect(back).toMatchObject({ team: null, consentedAt: null, addedBy: ann });
    expect((await bed.list(ann, { teamId: 'none' })).map((each) => each.id)).toEqual([id]);
    expect(await outcomeOf(bed.get(owner, id))).toBe('app.unknown');
    expect((await bed.list(owner)).map((each) => each.id)).toEqual([others.id]);
    await bed.noOrders();
    expect((await bed.eventsOf(id)).filter((type) => type === 'AppMoved')).toHaveLength(2);
    expect(await bed.get(ann, id)).toMatchObject({ team: null, storageScope: back.storageScope });
    // Its URL is theirs again.
    expect(await bed.add(ann, url)).toMatchObject({ created: false, app: { id } });
  });

  it('comes back beside another with its URL, and nothing is lost', async () => {
    const [owner, ann] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(owner, ann);
    const url = newUrl();
    const shared = await bed.added(ann, url);
    await bed.move(ann, shared.id, teamId);
    const own = await bed.added(ann, url);
    expect(own.id).not.toBe(shared.id);
    expect(await outcomeOf(bed.move(ann, shared.id, null))).toBe('app.url_taken');
    await bed.leave(teamId, ann);
    await bed.noOrders();
    expect((await bed.list(ann)).map(({ id }) => id).sort()).toEqual([shared.id, own.id].sort());
    expect(await bed.add(ann, url)).toMatchObject({ created: false, app: { id: own.id } });
  });

  it('comes back when its adder was leaving the team during the move', async () => {
    const [owner, ann] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(owner, ann);
    const { id } = await bed.added(ann);
    await bed.tell(teamId, { type: 'MemberLeft', teamId, accountId: ann, leftAt: at });
    await bed.move(ann, id, teamId);
    bed.forget(teamId, ann);
    await bed.noOrders();
    expect((await bed.get(ann, id)).team).toBeNull();
    expect((await bed.eventsOf(id)).filter((type) => type === 'AppMoved')).toHaveLength(2);
  });

  it('comes back once when no service ran while its adder left', async () => {
    const [owner, ann] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(owner, ann);
    const { id } = await bed.added(ann);
    await bed.move(ann, id, teamId);
    await bed.stop();
    await bed.leave(teamId, ann);
    await bed.start();
    expect((await bed.get(ann, id)).team).toBeNull();
    await bed.noOrders();
    expect((await bed.eventsOf(id)).filter((type) => type === 'AppMoved')).toHaveLength(2);
  });

  it('can be changed by its owner before the command to return it was executed', async () => {
    const [owner, ann] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(owner, ann);
    const { id } = await bed.added(ann);
    await bed.move(ann, id, teamId);
    // The log does not tell the rows yet.
    bed.forget(teamId, ann);
    expect((await bed.ask(ann, Apps.change, { id, name: 'Mine' })).app).toMatchObject({
      name: 'Mine',
      team: null,
    });
    expect((await bed.eventsOf(id)).filter((type) => type === 'AppMoved')).toHaveLength(2);
    await bed.tell(teamId, { type: 'MemberLeft', teamId, accountId: ann, leftAt: at });
    await bed.noOrders();
    expect((await bed.eventsOf(id)).filter((type) => type === 'AppMoved')).toHaveLength(2);
  });
});

describe('the others in a team', () => {
  const toldOf = (id: string) => bed.sent.filter(({ input }) => input.appId === id);

  it('are told of an app that was moved into it, unless the mover declines', async () => {
    const [ann, bob, carl] = [newAccount(), newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob, carl);
    const [loud, quiet] = [await bed.added(ann), await bed.added(ann)];
    await bed.move(ann, loud.id, teamId, true);
    await bed.move(ann, quiet.id, teamId, false);
    await bed.noOrders();
    expect(
      toldOf(loud.id)
        .map(({ accountId }) => accountId)
        .sort(),
    ).toEqual([bob, carl].sort());
    expect(toldOf(loud.id)[0]?.input).toMatchObject({ title: 'New app: Photos', appId: loud.id });
    expect(toldOf(quiet.id)).toEqual([]);
  });

  it('are told by the same key again when the answer was lost, so that they hear it once', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const { id } = await bed.added(ann);
    bed.notificationsAreAway = true;
    try {
      await bed.move(ann, id, teamId, true);
      await bed.list(bob);
      await bed.stop();
    } finally {
      bed.notificationsAreAway = false;
      await bed.start();
    }
    await bed.noOrders();
    expect(toldOf(id).map(({ accountId, key }) => [accountId, key])).toEqual([
      [bob, `app moved ${id} 1 ${bob}`],
    ]);
  });

  it('are not told of what was moved away before they could be', async () => {
    const [ann, bob] = [newAccount(), newAccount()];
    const teamId = await bed.teamOf(ann, bob);
    const { id } = await bed.added(ann);
    bed.notificationsAreAway = true;
    try {
      await bed.move(ann, id, teamId, true);
      await bed.move(ann, id, null);
    } finally {
      bed.notificationsAreAway = false;
    }
    await bed.noOrders();
    expect(toldOf(id)).toEqual([]);
  });
});
