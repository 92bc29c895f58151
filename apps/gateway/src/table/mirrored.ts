import type { ChangeRole } from '@carillon/contracts';
import { type Row, rowName, type RowOptions } from '../request/row';
import { agentTable } from './agent.table';

/** Routes of the Agent API that the owner of the account has too. */
const whole =
  /^[A-Z]+ \/(devices|inbox|services|webhooks|events|activity-feed|teams|oncall|pages|apps|connectors)(\/|$)/;
const single = ['GET /activities'];
/** Routes that only programs call: the one at the other end of a connector, and one that pulls messages. */
const ofPrograms =
  /^(POST \/connectors\/:id\/(heartbeat|access|callback-access)|GET \/webhooks\/:id\/messages)$/;

/** Routes with stricter rules for a person than for an agent. */
const stricter: Readonly<Record<string, RowOptions>> = {
  'PATCH /teams/:id/members/:userId': { recent: ({ role }: ChangeRole) => role === 'owner' },
};

/** Whether a route of the Agent API, named without its prefix, is in the Session API too. */
export const isMirrored = (name: string): boolean =>
  (whole.test(name) && !ofPrograms.test(name)) || single.includes(name);

/** The routes of the Agent API that a person has too: same bodies, no scopes. */
export const mirrored: readonly Row[] = agentTable.flatMap(({ alsoNeeds: _scopesOfFields, ...row }) => {
  const path = row.path.replace('/api/agent', '');
  const name = rowName({ method: row.method, path });
  if (!isMirrored(name)) return [];
  return [{ ...row, ...stricter[name], path: `/api/session${path}`, access: 'session', scopes: [] }];
});
