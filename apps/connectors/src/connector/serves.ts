import type { App } from '../app/app';
import type { ConnectorFacts } from './connector';

/** The owner of a connector. */
export type ConnectorOwner = Pick<ConnectorFacts, 'accountId' | 'teamId'>;

/** A connector of an account serves its own apps, one of a team those of the team. */
export const serves = ({ accountId, teamId }: ConnectorOwner, { addedBy, teamId: ofTeam }: App): boolean =>
  teamId === null ? ofTeam === null && addedBy === accountId : ofTeam === teamId;
