import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  AllowCallback,
  type AllowedCallback,
  BeginCallback,
  type BegunCallback,
  Callbacks,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId, KeyRing, streamTail } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { type Connector, insistOnEnabled, secretsAt } from '../connector/connector';
import { ConnectorAccess } from '../connector/connector-access.service';
import { Hostnames } from '../connector/hostnames.service';
import { signingKeyIn } from '../connector/secrets';
import { Teams } from '../connector/teams.client';
import { callback, consume, record, routeAt, signatureOf } from './callback';

/** Deliveries of reply webhooks that go through connectors: recorded and signed here, and taken over once. */
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
    { deliveryId, url, timestamp, body: encoded }: BeginCallback,
    context: Context,
  ): Promise<Answer<BegunCallback | null>> {
    const { hostname, port, pathname, search } = new URL(url);
    const connector = await this.hostnames.find(hostname.replace(/\.$/, ''));
    if (!connector || !(await this.mayUse(connector, context))) return answer(null);
    const { id: connectorId } = connector;
    if (port !== '') throw new Refused('destination.not_allowed', { connectorId });
    if (!connector.enabled) throw new Refused('connector.disabled', { connectorId });
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
    const place = `https://${connector.hostname}/.well-known/carillon-callback/${state.id}`;
    return answer(
      { connectorId, url: place, signature: signatureOf(state, this.keysOf(connector)) },
      position,
    );
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
    // Nothing of a callback is told to who cannot prove that it got it, and what cannot go on is not used up.
    decide(before);
    const path = before?.path ?? '/';
    const route = routeAt(found.routes, path);
    insistOnEnabled(found, route);
    const { position } = await this.log.transact(
      callback,
      tail,
      decide,
      metadataOf(context, before?.accountId),
    );
    return answer(
      { allowed: true, deliveryId: callbackId, route: route?.name ?? null, path, method: 'POST' },
      position,
    );
  }

  /** Its owner may, and everybody in the team that it belongs to. */
  private async mayUse({ accountId, teamId }: Connector, context: Context): Promise<boolean> {
    if (teamId === null) return accountId === context.caller.accountId;
    return (await this.teams.roleIn(teamId, context)) !== null;
  }

  private keysOf(of: Connector): Buffer[] {
    return secretsAt(of, this.clock.now()).map((sealed) => signingKeyIn(this.ring, of.id, sealed));
  }
}
