// Ends what is an account's own, as the account itself would: for `account delete` of tools/admin.mjs, once nobody comes in
// as the account any more. `ask` is what `asOperator` gives.
import { allOf } from './operator.mjs';

/** What the log knows to be gone already, or another's: the rows that list it are a moment behind. */
const isOver = ({ reason = '' }) =>
  /\.(unknown|not_found|forbidden_role|not_added_by_caller|not_asker|not_pending)$/.test(reason);

const over = Symbol('over');
const running = ['starting', 'active', 'partial'];

/**
 * What others still have to answer or to look at goes first, then its teams, since what it has shared there comes back
 * to it. Asked again it goes on where it was. Gives the ids of what was ended.
 */
export async function endAll(ask, contracts, accountId) {
  const { Activities, Apps, Connectors, Interactions, Members, Push, Services, Teams, Webhooks } = contracts;
  const as = (contract, input) => ask(contract, input, accountId);
  const ended = [];
  for await (const { id } of allOf(as, Interactions.list, { pending: true }))
    await end(id, () => as(Interactions.cancel, { id }));
  for await (const { id } of allOf(as, Activities.list, { status: running })) await end(id, () => finish(id));
  for await (const { id } of allOf(as, Teams.list)) await end(id, () => leave(id));
  for await (const { id } of allOf(as, Services.list)) await end(id, () => as(Services.remove, { id }));
  for await (const { id, addedBy } of allOf(as, Apps.list))
    if (addedBy === accountId) await end(id, () => as(Apps.remove, { id }));
  for await (const { id, createdBy, teamId } of allOf(as, Connectors.list))
    if (createdBy === accountId && teamId === null) await end(id, () => as(Connectors.remove, { id }));
  for await (const { id } of allOf(as, Webhooks.list)) await end(id, () => as(Webhooks.remove, { id }));
  for await (const { id } of allOf(as, Push.listDevices)) await end(id, () => as(Push.removeDevice, { id }));
  return ended;

  async function end(id, work) {
    try {
      if ((await work()) !== over) ended.push(id);
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  }

  /** From all phones at once. One that has ended meanwhile, or with its prompt, is none that was ended here. */
  async function finish(id) {
    const { idempotent } = await as(Activities.end, { identifier: id, dismissAfterSeconds: 0 });
    return idempotent ? over : undefined;
  }

  /** An owner hands the team over: to the admin, else the member, who has been in it for longest. */
  async function leave(id) {
    const { team, members } = await as(Teams.get, { id });
    const others = members.filter(({ userId }) => userId !== accountId);
    if (team.role === 'owner' && others.length === 0) return as(Teams.remove, { id });
    if (team.role === 'owner') await handOver(id, others);
    return as(Members.leave, { id });
  }

  async function handOver(id, others) {
    const rank = ({ role, joinedAt }) => `${role === 'admin' ? 0 : 1} ${joinedAt}`;
    others.sort((one, other) => (rank(one) < rank(other) ? -1 : 1));
    for (const { userId } of others)
      try {
        return await as(Members.changeRole, { id, userId, role: 'owner' });
      } catch (error) {
        // Owns as many as anybody may.
        if (error.reason !== 'resource.limit_reached') throw error;
      }
    throw new Error(
      `nobody in ${id} can become its owner: make somebody its owner, or delete it, then ask again`,
    );
  }
}
