import type { AccessBound, ConnectorRouteFact, Person } from '@carillon/contracts';
import type { ViewedApp } from '../app/access';
import { consentOf } from '../app/app-team';
import type { ConnectorFacts } from '../connector/connector';
import { serves } from '../connector/serves';

/** The current facts that decide on access. */
export interface Facts {
  readonly connector: Pick<ConnectorFacts, 'id' | 'accountId' | 'teamId' | 'hostname'>;
  readonly route: Pick<ConnectorRouteFact, 'name' | 'appId'>;
  /** The app of the route as the person sees it; absent without access. */
  readonly found: ViewedApp | undefined;
  /** Absent when the account is deleted or suspended. */
  readonly person: Person | undefined;
}

/** The admission of a person. */
export interface Admission {
  /** The binding that a pass or a session must have. */
  readonly bound: AccessBound;
  /** The person as disclosed to the app: name and address only with the current consent. */
  readonly user: DisclosedUser;
}

/** The admitted person, as disclosed to the private service. */
export interface DisclosedUser {
  id: string;
  name?: string;
  email?: string;
  emailVerified?: boolean;
}

/**
 * Whether a route leads to an app for its viewer. It must be at the app's origin: people agree to be signed in there,
 * and an account could else have them signed in at a hostname of its own connector.
 */
export const leadsTo = (
  { connector, route }: Pick<Facts, 'connector' | 'route'>,
  found: ViewedApp | undefined,
): found is ViewedApp =>
  found !== undefined &&
  route.appId === found.app.id &&
  found.app.origin === `https://${connector.hostname}` &&
  serves(connector, found.app);

/** The binding of a pass for a route; undefined where the route does not lead to the app, or without consent. */
export function boundTo({ connector, route, found }: Omit<Facts, 'person'>): AccessBound | undefined {
  if (!leadsTo({ connector, route }, found)) return undefined;
  const { app, viewer } = found;
  const consent = consentOf(app, viewer);
  return (
    consent && {
      connectorId: connector.id,
      route: route.name,
      appId: app.id,
      userId: viewer.accountId,
      consentedAt: consent.at,
    }
  );
}

/**
 * Lets a person in through a route: its app is there for them, the connector serves it at the app's origin, they have
 * agreed to be signed in, and their account is in order. Whether connector and route are enabled is another question,
 * with an answer of its own.
 */
export function admission({ person, ...facts }: Facts): Admission | undefined {
  const bound = boundTo(facts);
  const consent = facts.found && consentOf(facts.found.app, facts.found.viewer);
  if (!bound || !consent || person?.id !== bound.userId) return undefined;
  return {
    bound,
    user: {
      id: person.id,
      ...(consent.shareName && { name: person.name }),
      ...(consent.shareEmail && {
        email: person.email,
        emailVerified: person.emailVerified,
      }),
    },
  };
}

/** The binding in the event of a pass or a session. */
export const boundIn = ({ connectorId, route, appId, userId, consentedAt }: AccessBound): AccessBound => ({
  connectorId,
  route,
  appId,
  userId,
  consentedAt,
});

/** Whether two bindings are equal. */
export const isBoundTo = (held: AccessBound, bound: AccessBound | undefined): boolean =>
  bound !== undefined &&
  held.connectorId === bound.connectorId &&
  held.route === bound.route &&
  held.appId === bound.appId &&
  held.userId === bound.userId &&
  held.consentedAt === bound.consentedAt;
