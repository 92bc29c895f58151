import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  AllowCallback,
  type AllowedCallback,
  BeginCallback,
  type BegunCallback,
  Callbacks,
  CheckCallback,
  type ConnectorRouteFact,
  type LostCallback,
  type Ok,
  type TeamRole,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { isBefore, Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, KeyRing, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import {
  type ConnectorFacts,
  type FormerConnector,
  insistOnEnabled,
  isThere,
  secretsAt,
} from '../connector/connector';
import { openedAt } from '../connector/callback-paths';
import { ConnectorAccess } from '../connector/connector-access.service';
import { Hostnames } from '../connector/hostnames.service';
import { signingKeyIn } from '../connector/secrets';
import { Teams } from '../connector/teams.client';
import { callback, consume, record, signatureOf } from './callback';

type LastHolder = ConnectorFacts | FormerConnector | undefined;

/** Deliveries of reply webhooks through connectors: recorded and signed here, and taken over once (ADR 38). */
@Controller()
export class CallbackHandlers {
  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(KeyRing) private readonly ring: KeyRing,
    @Inject(Hostnames) private readonly hostnames: Hostnames,
    @Inject(Teams) private readonly teams: Teams,
    @Inject(ConnectorAccess) private readonly connectors: ConnectorAccess,
  ) {}

  @Handles(Callbacks.begin)
  async begin(
    { deliveryId, url, timestamp, body: encoded, waitsSince }: BeginCallback,
    context: Context,
  ): Promise<Answer<BegunCallback | LostCallback | null>> {
    const last = await this.hostnames.last(hostIn(url));
    const way = await this.wayTo(url, last, context);
    if (!way) return answer(await this.lost(last, waitsSince, context));
    const { connector, route } = way;
    const { id: connectorId } = connector;
    if (!connector.enabled || !route.enabled) throw new Refused('connector.disabled', { connectorId });
    const { pathname, search } = new URL(url);
    const { accountId } = context.caller;
    const body = Buffer.from(encoded, 'base64').toString('utf8');
    const callbackId = deriveId('cbd', this.clock.ms(), 'connectors.callback', connectorId, deliveryId);
    const path = `${pathname}${search}`;
    const at = this.clock.now();
    const { state, position } = await this.log.transact(
      callback,
      streamTail(callbackId),
      record({ callbackId, connectorId, accountId, deliveryId, path, body, timestamp, at }),
      metadataOf(context),
    );
    if (!state) throw new Error('A callback was recorded without a trace');
    const callbackUrl = `https://${connector.hostname}/.well-known/carillon-callback/${state.id}`;
    return answer(
      { connectorId, url: callbackUrl, signature: signatureOf(state, this.keysOf(connector)) },
      position,
    );
  }

  /** Checks an address that is being saved. A disabled connector or route may be enabled by the time of a delivery. */
  @Handles(Callbacks.check)
  async check({ url }: CheckCallback, context: Context): Promise<Answer<Ok>> {
    await this.wayTo(url, await this.hostnames.last(hostIn(url)), context);
    return answer({ ok: true });
  }

  @Handles(Callbacks.allow)
  async allow(
    { id, deliveryId: callbackId, timestamp, signature, bodySha256 }: AllowCallback,
    context: Context,
  ): Promise<Answer<AllowedCallback>> {
    const { found } = await this.connectors.find(id, context);
    insistOnEnabled(found);
    const tail = streamTail(callbackId);
    const decide = consume({
      callbackId,
      connectorId: id,
      timestamp,
      signature,
      bodySha256,
      keys: this.keysOf(found),
      wallMs: Date.now(),
      at: this.clock.now(),
    });
    const { state: before } = await this.log.load(callback, tail);
    // A caller without proof of receipt is told nothing about a callback; a callback that cannot proceed stays unused.
    decide(before);
    const path = before?.path ?? '/';
    const route = openedAt(found.routes, path);
    // No route opens this path for callbacks any more.
    if (!route) throw new Refused('callback.invalid');
    insistOnEnabled(found, route);
    const { position } = await this.log.transact(
      callback,
      tail,
      decide,
      metadataOf(context, before?.accountId),
    );
    return answer(
      { allowed: true, deliveryId: callbackId, route: route.name, path, method: 'POST' },
      position,
    );
  }

  /**
   * The connector and the route that an address leads through, from the last holder of its hostname; undefined where
   * that is no connector of the caller or the caller's teams. Refused `destination.not_allowed` to a plain member of
   * the connector's team, for a port, and where no route has opened the path for callbacks (ADR 52).
   */
  private async wayTo(
    url: string,
    last: LastHolder,
    context: Context,
  ): Promise<{ readonly connector: ConnectorFacts; readonly route: ConnectorRouteFact } | undefined> {
    const connector = last && isThere(last) ? last : undefined;
    const role = connector && (await this.roleAt(connector, context));
    if (!connector || !role) return undefined;
    const { port, pathname } = new URL(url);
    const route = openedAt(connector.routes, pathname);
    if (role === 'member' || port !== '' || !route)
      throw new Refused('destination.not_allowed', { connectorId: connector.id });
    return { connector, route };
  }

  /** The caller's relation to a connector: its owner, or their current role in its team; null for none. */
  private async roleAt(
    { accountId, teamId }: Pick<ConnectorFacts, 'accountId' | 'teamId'>,
    context: Context,
  ): Promise<TeamRole | null> {
    if (teamId !== null) return this.teams.roleIn(teamId, context);
    return accountId === context.caller.accountId ? 'owner' : null;
  }

  /** Whether the delivery waits for a removed connector; another connector may have its hostname by now. */
  private async lost(
    last: LastHolder,
    waitsSince: string | undefined,
    context: Context,
  ): Promise<LostCallback | null> {
    if (waitsSince === undefined || !last?.isRemoved) return null;
    if (last.removedAt === null || isBefore(last.removedAt, waitsSince)) return null;
    const isOurs = last.accountId === context.caller.accountId || (await this.roleAt(last, context)) !== null;
    return isOurs ? { connectorId: last.id, isRemoved: true } : null;
  }

  private keysOf(of: ConnectorFacts): Buffer[] {
    return secretsAt(of, this.clock.now()).map((sealed) => signingKeyIn(this.ring, of.id, sealed));
  }
}

const hostIn = (url: string): string => new URL(url).hostname.replace(/\.$/, '');
