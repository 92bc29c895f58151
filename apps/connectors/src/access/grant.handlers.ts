import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import {
  type AccessGranted,
  type ConnectorRouteFact,
  GrantAccess,
  RevalidateAccess,
  type Revalidated,
  sessionRefusals,
  type SessionOfRoute,
  VisitorAccess,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused, unless } from '@carillon/eventing';
import { cell, Clock, metadataOf, secret } from '@carillon/runtime';
import { deriveSecret, hashSecret } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { AppAccess } from '../app/app-access.service';
import type { ViewedApp } from '../app/access';
import { type ConnectorFacts, insistOnEnabled, routeOf } from '../connector/connector';
import { ConnectorAccess } from '../connector/connector-access.service';
import { type Admission, admission } from './admission';
import {
  beginSession,
  type GatewaySession,
  gatewaySession,
  sessionPrefix,
  useSession,
} from './gateway-session';
import { pass, spendPass } from './pass';
import { People } from './people.client';

/** The connector and route of a visit. */
interface RouteOfConnector {
  readonly connector: ConnectorFacts;
  readonly route: ConnectorRouteFact;
}

/** The admissions that one request has asked for, by route and visitor: many sessions may belong to one visitor. */
type Admissions = Map<string, Promise<Admission | undefined>>;

/**
 * Admits visitors of private services. All facts that decide on access are read from the logs each time, so that access
 * ends with the next request after a change (ADR 36).
 */
@Controller()
export class GrantHandlers {
  private readonly pepper = secret('CARILLON_PEPPER');
  private readonly cell = cell();

  constructor(
    @Inject(Log) private readonly log: Log,
    @Inject(Clock) private readonly clock: Clock,
    @Inject(ConnectorAccess) private readonly connectors: ConnectorAccess,
    @Inject(AppAccess) private readonly apps: AppAccess,
    @Inject(People) private readonly people: People,
  ) {}

  @Handles(VisitorAccess.grant)
  async grant(input: GrantAccess, context: Context): Promise<Answer<AccessGranted>> {
    const { found: connector } = await this.connectors.find(input.id, context);
    const target = enabledRouteOf(connector, input.route);
    return input.pass === undefined
      ? answer(await this.goOn(input.session ?? '', target, context))
      : this.redeem(input.pass, target, context);
  }

  /** What is wrong with one session is told of that one alone. */
  @Handles(VisitorAccess.revalidate)
  async revalidate({ id, sessions }: RevalidateAccess, context: Context): Promise<Answer<Revalidated>> {
    const { found: connector } = await this.connectors.find(id, context);
    const admissions: Admissions = new Map();
    const goOn = async ({ session, route }: SessionOfRoute): Promise<Revalidated['sessions'][number]> => {
      try {
        return await this.goOn(session, enabledRouteOf(connector, route), context, admissions);
      } catch (error) {
        if (error instanceof Refused && isSessionRefusal(error.reason))
          return { allowed: false, code: sessionRefusals[error.reason] };
        throw error;
      }
    };
    return answer({ sessions: await Promise.all(sessions.map(goOn)) });
  }

  /** Spends a pass for a session, which follows from both and the command: asked again, that finds what was begun. */
  private async redeem(
    shown: string,
    target: RouteOfConnector,
    context: Context,
  ): Promise<Answer<AccessGranted>> {
    const passHash = hashSecret(this.pepper, shown);
    const { state } = await this.log.load(pass, passHash);
    const admitted = await this.admissionOf(state?.userId, target, context);
    const at = this.clock.now();
    const spend = spendPass({ bound: admitted?.bound, by: context.commandId, at });
    spend(state);
    if (!admitted) throw new Refused('pass.invalid');
    const { bound } = admitted;
    const metadata = metadataOf(context, bound.userId);
    await this.log.transact(pass, passHash, spend, metadata);

    const session = deriveSecret(this.pepper, sessionPrefix, this.cell, `${passHash} ${context.commandId}`);
    const hash = hashSecret(this.pepper, session);
    const begin = beginSession({ hash, bound, at });
    const { state: begun, position } = await this.log.transact(gatewaySession, hash, begin, metadata, {
      expectNew: !context.again,
    });
    if (!begun) throw new Error('The gateway session that was just begun is missing from the log');
    return answer(granted(session, begun, admitted, target), position);
  }

  private async goOn(
    session: string,
    target: RouteOfConnector,
    context: Context,
    admissions: Admissions = new Map(),
  ): Promise<AccessGranted> {
    const hash = hashSecret(this.pepper, session);
    const { state } = await this.log.load(gatewaySession, hash);
    const key = `${target.route.name} ${state?.userId ?? ''}`;
    const asked = admissions.get(key) ?? this.admissionOf(state?.userId, target, context);
    admissions.set(key, asked);
    const admitted = await asked;
    const use = useSession({ bound: admitted?.bound, at: this.clock.now() });
    const noted = use(state);
    if (!admitted || !state) throw new Refused('gateway_session.invalid');
    if (noted.length > 0)
      await this.log.transact(gatewaySession, hash, use, metadataOf(context, state.userId));
    return granted(session, state, admitted, target);
  }

  /**
   * For an unknown pass the same lookups are made with the caller's account, so that the response time does not reveal
   * whether the pass ever existed.
   */
  private async admissionOf(
    userId: string | undefined,
    { connector, route }: RouteOfConnector,
    context: Context,
  ): Promise<Admission | undefined> {
    const visitor = userId ?? context.caller.accountId;
    const [found, person] = await Promise.all([
      this.seenBy(visitor, route.appId, context),
      this.people.find(visitor, context),
    ]);
    return admission({ connector, route, found, person });
  }

  private async seenBy(
    visitor: string,
    appId: string | null,
    context: Context,
  ): Promise<ViewedApp | undefined> {
    return appId === null ? undefined : unless('app.unknown', this.apps.find(appId, context, visitor));
  }
}

/** Refused unless somebody may be let in there. */
function enabledRouteOf(connector: ConnectorFacts, name: string): RouteOfConnector {
  const route = routeOf(connector, name);
  insistOnEnabled(connector, route);
  return { connector, route };
}

const isSessionRefusal = (reason: string): reason is keyof typeof sessionRefusals =>
  Object.hasOwn(sessionRefusals, reason);

const granted = (
  session: string,
  { until }: GatewaySession,
  { bound, user }: Admission,
  { route }: RouteOfConnector,
): AccessGranted => ({
  allowed: true,
  session,
  sessionExpiresAt: until,
  user,
  appId: bound.appId,
  route: route.name,
  target: route.target,
});
