// Ends what is an account's own, as the account itself would: for `account delete` of admin.ts, once nobody comes in as
// the account any more.
import {
  Activities,
  Apps,
  Connectors,
  Interactions,
  Members,
  Push,
  Services,
  type TeamMember,
  Teams,
  Webhooks,
} from '@carillon/contracts';
import { compareTexts, Refused } from '@carillon/eventing';
import { allOf, type Ask, onBehalfOf } from './operator';

/** What the log knows to be gone already, or another's: the rows that list it are a moment behind. */
const isOver = (error: unknown): boolean =>
  error instanceof Refused &&
  /\.(unknown|not_found|forbidden_role|not_added_by_caller|not_asker|not_pending)$/.test(error.reason);

const over = Symbol('over');

/**
 * Who becomes the owner of a team when its owner leaves: the admin, else the member, who has been in it for longest.
 */
export function heirs(members: readonly TeamMember[], ownerId: string): TeamMember[] {
  const rank = ({ role, joinedAt }: TeamMember): string => `${role === 'admin' ? 0 : 1} ${joinedAt}`;
  return members
    .filter(({ userId }) => userId !== ownerId)
    .sort((one, other) => compareTexts(rank(one), rank(other)));
}

/**
 * What others still have to answer or to look at goes first, then its teams, since what it has shared there comes back
 * to it. Asked again it goes on where it was. Gives the ids of what was ended.
 */
export async function endAll(ask: Ask, accountId: string): Promise<string[]> {
  const as = onBehalfOf(ask, accountId);
  const ended: string[] = [];
  for await (const { id } of allOf((query) => as(Interactions.list, { pending: true, ...query })))
    await end(id, () => as(Interactions.cancel, { id }));
  for await (const { id } of allOf((query) =>
    as(Activities.list, { status: ['starting', 'active', 'partial'], ...query }),
  ))
    await end(id, () => finish(id));
  for await (const { id } of allOf((query) => as(Teams.list, query))) await end(id, () => leave(id));
  for await (const { id } of allOf((query) => as(Services.list, query)))
    await end(id, () => as(Services.remove, { id }));
  for await (const { id, addedBy } of allOf((query) => as(Apps.list, query)))
    if (addedBy === accountId) await end(id, () => as(Apps.remove, { id }));
  for await (const { id, createdBy, teamId } of allOf((query) => as(Connectors.list, query)))
    if (createdBy === accountId && teamId === null) await end(id, () => as(Connectors.remove, { id }));
  for await (const { id } of allOf((query) => as(Webhooks.list, query)))
    await end(id, () => as(Webhooks.remove, { id }));
  for await (const { id } of allOf((query) => as(Push.listDevices, query)))
    await end(id, () => as(Push.removeDevice, { id }));
  return ended;

  async function end(id: string, work: () => Promise<unknown>): Promise<void> {
    try {
      if ((await work()) !== over) ended.push(id);
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  }

  /** From all phones at once. One that has ended meanwhile, or with its prompt, is none that was ended here. */
  async function finish(id: string): Promise<unknown> {
    const { idempotent } = await as(Activities.end, { identifier: id, dismissAfterSeconds: 0 });
    return idempotent ? over : undefined;
  }

  async function leave(id: string): Promise<unknown> {
    const { team, members } = await as(Teams.get, { id });
    const others = heirs(members, accountId);
    if (team.role === 'owner' && others.length === 0) return as(Teams.remove, { id });
    if (team.role === 'owner') await handOver(id, others);
    return as(Members.leave, { id });
  }

  async function handOver(id: string, others: readonly TeamMember[]): Promise<void> {
    for (const { userId } of others)
      try {
        await as(Members.changeRole, { id, userId, role: 'owner' });
        return;
      } catch (error) {
        // Owns as many as anybody may.
        if (!(error instanceof Refused) || error.reason !== 'resource.limit_reached') throw error;
      }
    throw new Error(
      `nobody in ${id} can become its owner: make somebody its owner, or delete it, then ask again`,
    );
  }
}
