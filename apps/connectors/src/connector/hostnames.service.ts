import { Log } from '@carillon/event-store';
import { type EventMetadata, type Instant, millis, Refused } from '@carillon/eventing';
import { streamTail } from '@carillon/signing';
import { Inject, Injectable } from '@nestjs/common';
import { type ConnectorFacts, connector, type FormerConnector, isThere } from './connector';
import { claim, hostnameClaim, hostnameTail } from './hostname-claim';
import { giveUp } from './register';

interface Claimant extends Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId'> {
  readonly at: Instant;
}

/** A claim expires unless its connector registers within this time. */
const claimHoldsMs = 2_000;

/**
 * Tracks the holder of each hostname: the connector that claimed it last, until it is removed. Each hostname has its
 * own stream of claims, so one of several concurrent claims wins; a claim needs no release (ADR 51).
 */
@Injectable()
export class Hostnames {
  constructor(@Inject(Log) private readonly log: Log) {}

  /** The connector that holds the hostname. */
  async find(hostname: string): Promise<ConnectorFacts | undefined> {
    const last = await this.last(hostname);
    return last && isThere(last) ? last : undefined;
  }

  /** The connector that holds the hostname, or held it last. */
  async last(hostname: string): Promise<ConnectorFacts | FormerConnector | undefined> {
    const { state: claimed } = await this.log.load(hostnameClaim, hostnameTail(hostname));
    if (!claimed) return undefined;
    const { state } = await this.log.load(connector, streamTail(claimed.connectorId));
    return state?.id === claimed.connectorId ? state : undefined;
  }

  /** Refused `hostname.taken` unless the hostname is free. The caller registers the connector next. */
  async claim(hostname: string, by: Claimant, metadata: EventMetadata): Promise<void> {
    const tail = hostnameTail(hostname);
    const { state: held } = await this.log.load(hostnameClaim, tail);
    if (held) {
      const { connectorId: id, accountId, teamId } = held;
      const { state } = await this.log.load(connector, streamTail(id));
      const isComing = !state && millis(by.at) - millis(held.at) < claimHoldsMs;
      if (isThere(state) || isComing) throw new Refused('hostname.taken');
      // The holder may be registering right now: only one of the two events comes first in its stream.
      const left = await this.log.transact(
        connector,
        streamTail(id),
        giveUp({ id, accountId, teamId, at: by.at }),
        metadata,
      );
      if (isThere(left.state)) throw new Refused('hostname.taken');
    }
    const { state } = await this.log.transact(
      hostnameClaim,
      tail,
      claim({
        connectorId: by.id,
        accountId: by.accountId,
        teamId: by.teamId,
        at: by.at,
        insteadOf: held?.connectorId ?? null,
      }),
      metadata,
      { expectNew: !held },
    );
    if (state?.connectorId !== by.id) throw new Refused('hostname.taken');
  }
}
