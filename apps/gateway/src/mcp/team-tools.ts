import type { JsonSchema } from '@carillon/schema';
import type { Row } from '../request/row';
import { invalidArgument, refusal, success } from './result';
import { isId, marking } from './route-tool';
import { objectOf } from './schemas';
import type { Tool } from './tool';

const text: JsonSchema = { type: 'string' };
const array: JsonSchema = { type: 'array' };
const isGiven = (id: unknown): boolean => id !== undefined && id !== null && id !== '';

/** Who is on call: in one group, or in each group of a team. */
export function oncallTool(rows: { readonly group: Row; readonly team: Row }): Tool {
  const untrusted = ['groups'];
  return {
    scopes: rows.group.scopes,
    listing: {
      name: 'who_is_on_call',
      description: 'Shows who is on call in a group, or in each group of a team. Give one of the two.',
      inputSchema: objectOf({ groupId: text, teamId: text }),
      outputSchema: marking(
        { type: 'object', properties: { groups: array }, required: ['groups'] },
        untrusted,
      ),
      annotations: { readOnlyHint: true },
    },
    async call({ groupId, teamId }, call) {
      if (isGiven(groupId) === isGiven(teamId))
        return invalidArgument('groupId', 'give groupId or teamId, and only one of them');
      const [name, id] = isGiven(groupId) ? ['groupId', groupId] : ['teamId', teamId];
      if (!isId(id)) return invalidArgument(name, 'must be an id');
      const answer = await (isGiven(groupId)
        ? call.request(rows.group, { groupId })
        : call.request(rows.team, { id: teamId }));
      if (answer.status >= 300) return refusal(answer);
      return success(isGiven(groupId) ? { groups: [answer.body] } : answer.body, untrusted);
    },
  };
}

/** One team with its members, or all teams of the account. */
export function teamTool(rows: { readonly one: Row; readonly all: Row }): Tool {
  const one = ['team', 'members'];
  const all = ['teams'];
  return {
    scopes: rows.one.scopes,
    listing: {
      name: 'get_team',
      description: 'Shows a team or family and its members; without teamId, lists those of the account.',
      inputSchema: objectOf({ teamId: text, cursor: text }),
      outputSchema: marking(
        {
          type: 'object',
          properties: {
            team: { type: 'object' },
            members: array,
            teams: array,
            nextCursor: { type: ['string', 'null'] },
          },
        },
        one,
      ),
      annotations: { readOnlyHint: true },
    },
    async call({ teamId, ...page }, call) {
      if (isGiven(teamId) && !isId(teamId)) return invalidArgument('teamId', 'must be an id');
      const answer = await (isGiven(teamId)
        ? call.request(rows.one, { id: teamId })
        : call.request(rows.all, page));
      if (answer.status >= 300) return refusal(answer);
      return success(answer.body, isGiven(teamId) ? one : all);
    },
  };
}
