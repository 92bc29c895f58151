import type {
  DeviceDeactivated,
  DeviceRegistered,
  SessionRefreshed,
  SessionStarted,
  SessionUsed,
  Streams,
} from '@carillon/contracts';
import { type Handled, ignore, inBatch, type On, Projection, type Sql } from '@carillon/event-store';
import type { Instant, Recorded } from '@carillon/eventing';
import { Injectable } from '@nestjs/common';
import { forgetSessions, keepRefreshTokens, madeAt } from './refreshes.entity';
import {
  type Ended,
  endOtherSessions,
  endSessions,
  refreshSessions,
  startSessions,
  useSessions,
} from './sessions.entity';

/** An app's session ends with its device, or with the next session there: the events of the device end both. */
const endedAt = (event: DeviceRegistered | DeviceDeactivated): Instant =>
  event.type === 'DeviceRegistered' ? event.registeredAt : event.deactivatedAt;

type Followed = Streams<'session' | 'session_use' | 'device' | 'account'>;
const on = {
  session: {
    SessionStarted: inBatch,
    SessionRefreshed: inBatch,
    SessionEnded: inBatch,
  },
  session_use: {
    SessionUsed: inBatch,
  },
  device: {
    DeviceRegistered: inBatch,
    DeviceTokensChanged: ignore,
    DeviceDeactivated: inBatch,
  },
  account: {
    AccountOpened: ignore,
    ProfileChanged: ignore,
    PasswordChanged: inBatch,
    PasswordRemoved: inBatch,
    PasskeyAdded: ignore,
    PasskeyUsed: ignore,
    PasskeyDisabled: ignore,
    PasskeyRemoved: ignore,
    IdentityLinked: ignore,
    IdentityUnlinked: ignore,
    EmailVerified: ignore,
    AccountSuspended: ignore,
    AccountResumed: ignore,
    OperatorChanged: ignore,
    AccountDeleted: ignore,
    AccountForgotten: ignore,
  },
} satisfies On<Followed>;
type Applied = Handled<Followed, typeof on>;

const isOfDevice = (event: Applied): event is DeviceRegistered | DeviceDeactivated =>
  event.type === 'DeviceRegistered' || event.type === 'DeviceDeactivated';

@Injectable()
export class SessionProjection extends Projection<Followed, typeof on> {
  readonly name = 'sessions';
  readonly tables = ['sessions', 'session_refreshes', 'ended_sessions'];
  readonly on = on;

  override concerns({ event }: Recorded<Applied>): boolean {
    return !isOfDevice(event) || event.endedSessionId !== undefined;
  }

  /** A device, and the session that ends with it, belong to one account. */
  override accountOf({ event }: Recorded<Applied>): string {
    return event.accountId;
  }

  /** A session starts before its other events; of its refreshes the last one counts; the rest touch other columns. */
  override async apply(sql: Sql, events: readonly Recorded<Applied>[]): Promise<void> {
    const started: (SessionStarted & Pick<Recorded, 'position'>)[] = [];
    const refreshed: SessionRefreshed[] = [];
    const ended: Ended[] = [];
    const used = new Map<string, SessionUsed>();
    let written = 0;
    for (const { event, position } of events) {
      switch (event.type) {
        case 'SessionStarted':
          started.push({ ...event, position });
          break;
        case 'SessionRefreshed':
          refreshed.push(event);
          break;
        case 'SessionEnded':
          ended.push(event);
          break;
        case 'SessionUsed':
          used.set(event.sessionId, event);
          break;
        case 'DeviceRegistered':
        case 'DeviceDeactivated':
          if (event.endedSessionId !== undefined)
            ended.push({ sessionId: event.endedSessionId, endedAt: endedAt(event) });
          break;
        case 'PasswordChanged':
        case 'PasswordRemoved':
          // One that this batch has started may be the session that is kept.
          await startSessions(sql, started.slice(written));
          written = started.length;
          await endOtherSessions(sql, {
            ...event,
            position,
            endedAt: event.type === 'PasswordChanged' ? event.changedAt : event.removedAt,
          });
          break;
        default:
          event satisfies never;
      }
    }
    await startSessions(sql, started.slice(written));
    await refreshSessions(sql, refreshed);
    await keepRefreshTokens(sql, [...started, ...refreshed]);
    await useSessions(sql, [...used.values()]);
    await endSessions(sql, ended);
    const newest = [...started, ...refreshed].map(madeAt).sort().at(-1);
    if (newest !== undefined) await forgetSessions(sql, newest);
  }
}
