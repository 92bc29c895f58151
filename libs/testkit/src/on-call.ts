import type { House } from './house';
import type { HouseAccount, HousePhone } from './house-account';

/** A person who can be paged. */
export interface Reachable {
  readonly account: HouseAccount;
  readonly phone: HousePhone;
}

/** A new account with an iPhone. */
export async function reachable(house: House, name: string): Promise<Reachable> {
  const account = await house.anotherAccount(name);
  return { account, phone: await account.addPhone('ios') };
}

/**
 * A workplace team of these, the first its owner, and an on-call group in which they take turns by the day, or only
 * those of `turns`.
 */
export async function onCall(
  house: House,
  people: readonly [HouseAccount, ...HouseAccount[]],
  { turns = people }: { readonly turns?: readonly HouseAccount[] } = {},
): Promise<{ readonly teamId: string; readonly groupId: string }> {
  const [owner, ...others] = people;
  const teamId = await house.workplaceTeam(owner);
  for (const other of others) await owner.takeInto(teamId, other);
  const group = await owner.api('POST', `/teams/${teamId}/oncall`, {
    body: {
      name: 'Backend',
      rotation: {
        userIds: turns.map(({ id }) => id),
        period: 'daily',
        handoffAt: '00:00',
        timezone: 'UTC',
      },
    },
  });
  if (group.status !== 201)
    throw new Error(`making an on-call group was answered ${JSON.stringify(group.body)}`);
  return { teamId, groupId: group.body.id };
}
