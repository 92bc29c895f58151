import type { AccessBound, GatewaySessionEvent } from '@carillon/contracts';
import { plus } from '@carillon/eventing';
import { given } from '@carillon/testkit';
import { beginSession, gatewaySession, useSession } from './gateway-session';

const at = '2026-11-20T09:00:00.000Z';
const minute = 60_000;
const hour = 60 * minute;
const later = (ms: number) => plus(at, ms);
const bound: AccessBound = {
  connectorId: 'con_1',
  route: 'wiki',
  appId: 'app_1',
  userId: 'usr_1',
  consentedAt: '2026-11-19T09:00:00.000Z',
};
const begun: GatewaySessionEvent = {
  type: 'GatewaySessionBegun',
  sessionHash: 'h',
  ...bound,
  begunAt: at,
  until: later(12 * hour),
};
const used = (ms: number): GatewaySessionEvent => ({
  type: 'GatewaySessionUsed',
  usedAt: later(ms),
});
const invalid = 'gateway_session.invalid';

describe('beginning a gateway session', () => {
  it('is good for twelve hours', () =>
    given(gatewaySession)
      .when(beginSession({ hash: 'h', bound, at }))
      .then(begun));
  it('does nothing the second time', () =>
    given(gatewaySession, begun)
      .when(beginSession({ hash: 'h', bound, at: later(1) }))
      .thenNothing());
});

describe('using a gateway session', () => {
  const use = (ms: number) => useSession({ bound, at: later(ms) });

  it('is noted once a minute', () => {
    given(gatewaySession, begun).when(use(59_999)).thenNothing();
    given(gatewaySession, begun).when(use(minute)).then(used(minute));
    given(gatewaySession, begun, used(minute))
      .when(use(minute + 1))
      .thenNothing();
  });

  it('is refused when it was not used for half an hour', () => {
    given(gatewaySession, begun)
      .when(use(31 * minute - 1))
      .then(used(31 * minute - 1));
    given(gatewaySession, begun)
      .when(use(31 * minute))
      .thenRefused(invalid, {});
    given(gatewaySession, begun, used(29 * minute))
      .when(use(58 * minute))
      .then(used(58 * minute));
  });

  it('goes on after less than half an hour, however lately the last use was noted', () => {
    given(gatewaySession, begun).when(use(50_000)).thenNothing();
    given(gatewaySession, begun)
      .when(use(50_000 + 30 * minute - 1))
      .then(used(50_000 + 30 * minute - 1));
  });

  it('is refused after twelve hours however often it was used', () => {
    const last = used(12 * hour - 2 * minute);
    given(gatewaySession, begun, last)
      .when(use(12 * hour - 1))
      .then(used(12 * hour - 1));
    given(gatewaySession, begun, last)
      .when(use(12 * hour))
      .thenRefused(invalid, {});
  });

  it('says the same of one that never was', () =>
    given(gatewaySession).when(use(0)).thenRefused(invalid, {}));

  it.each<[string, Partial<AccessBound>]>([
    ['connector', { connectorId: 'con_2' }],
    ['route', { route: 'admin' }],
    ['app', { appId: 'app_2' }],
    ['person', { userId: 'usr_2' }],
    ['consent', { consentedAt: at }],
  ])('is refused at another %s', (_, other) =>
    given(gatewaySession, begun)
      .when(useSession({ bound: { ...bound, ...other }, at }))
      .thenRefused(invalid, {}),
  );

  it('is refused where nobody may come in any more', () =>
    given(gatewaySession, begun)
      .when(useSession({ bound: undefined, at }))
      .thenRefused(invalid, {}));
});
