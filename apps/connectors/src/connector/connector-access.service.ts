import type { Context } from '@carillon/bus';
import type { ConnectorEvent } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { Decide } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type ConnectorRequest, managed } from './access';
import { type ConnectorFacts, connector, type ConnectorState } from './connector';
import { Teams } from './teams.client';

/** A connector that the caller manages, with the input for its decisions. */
export interface ManagedConnector {
  readonly asked: ConnectorRequest;
  readonly found: ConnectorFacts;
}

/** Finds connectors for callers. The logs of connector and team decide on access. */
@Injectable()
export class ConnectorAccess {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Teams) private readonly teams: Teams,
  ) {}

  /** Refused as in `managed`. The teams service is asked only for a connector of a team. */
  async find(id: string, context: Context): Promise<ManagedConnector> {
    const { state } = await this.log.load(connector, streamTail(id));
    const { accountId } = context.caller;
    const teamId = state && !state.isRemoved && state.id === id ? state.teamId : null;
    const role = teamId === null ? null : await this.teams.roleIn(teamId, context);
    const asked = { id, accountId, role, at: this.clock.now() };
    return { asked, found: managed(state, asked) };
  }

  /** Events of a connector belong to its account or team, not to the caller. */
  async decide(
    decide: Decide<ConnectorState, ConnectorEvent>,
    found: Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId'>,
    context: Context,
  ): Promise<{ readonly state: ConnectorState; readonly position: bigint }> {
    return this.log.transact(connector, streamTail(found.id), decide, metadataOf(context, keyOwner(found)));
  }
}

/** The owner of the key that seals the connector. */
export const keyOwner = ({ accountId, teamId }: Pick<ConnectorFacts, 'accountId' | 'teamId'>): string =>
  teamId ?? accountId;
