import type {
  AccountEvent,
  AppEvent,
  ConnectorEvent,
  PageEvent,
  Streams,
  TeamEvent,
} from '@carillon/contracts';
import { type AnyProjection, ignore, inBatch, type On, type Sql } from '@carillon/event-store';
import { type DomainEvent, type EventMetadata, isOf, millis, type Recorded } from '@carillon/eventing';
import { deriveId, uuidV5 } from '@carillon/signing';
import { carried } from '@carillon/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { nameAll, type Names, namesOf, setMembers, teamsOf } from './audit-people.entity';
import { Chain, type ChainedRecord } from './chain.service';
import { type Audited, type Describe, type Described, entries, noAction } from './entries';
import { inAppends } from './in-appends';
import type { TeamState } from '../team/team';
import { type States, TeamHistory } from '../team/team-history.service';

const followed: { readonly [Category in keyof Audited]: Readonly<Record<string, How>> } = entries;
type How = Describe<DomainEvent> | typeof noAction;

const audited = Object.fromEntries(
  Object.entries(followed).map(([category, types]) => [
    category,
    Object.fromEntries(
      Object.entries(types).map(([type, how]) => [type, how === noAction ? ignore : inBatch]),
    ),
  ]),
);
/** Account events, for the names of the actors. */
const people = {
  account: {
    AccountOpened: inBatch,
    ProfileChanged: inBatch,
    PasswordChanged: ignore,
    PasswordRemoved: ignore,
    PasskeyAdded: ignore,
    PasskeyUsed: ignore,
    PasskeyDisabled: ignore,
    PasskeyRemoved: ignore,
    IdentityLinked: ignore,
    IdentityUnlinked: ignore,
    EmailVerified: ignore,
    AccountSuspended: ignore,
    OperatorChanged: ignore,
    AccountResumed: ignore,
    AccountDeleted: inBatch,
    AccountForgotten: ignore,
  },
} satisfies On<Streams<'account'>>;

const nobody: States = { before: null, after: null };

/**
 * Writes the events of teams to their audit logs, in the order of the log. It continues only after all entries of a
 * batch are appended, and the newest entry has the position that its chain has reached. So each event has exactly one
 * entry, even after a crash, a rebuild or a concurrent run.
 */
@Injectable()
export class AuditProcess implements AnyProjection {
  readonly name = 'audit_process';
  readonly version = 1;
  readonly tables = ['audit_members', 'audit_people'];
  readonly partitioned = false;
  readonly immediate = true;
  readonly on = { ...audited, ...people };

  constructor(
    @Inject(Chain) private readonly chain: Chain,
    @Inject(TeamHistory) private readonly history: TeamHistory,
  ) {}

  /** Uses the names and members as of each event, and as few appends per chain as possible. */
  async apply(sql: Sql, events: readonly Recorded[]): Promise<void> {
    const names = await namesOf(
      sql,
      events.flatMap(({ metadata }) => metadata.actor.accountId ?? []),
    );
    const renamed = new Map<string, string | null>();
    const told = new Map<string, ChainedRecord[]>();
    for (const recorded of events) {
      if (isOfAccount(recorded)) {
        const { event } = recorded;
        if (!isOf(event, 'AccountOpened', 'ProfileChanged', 'AccountDeleted')) continue;
        const name = event.type === 'AccountDeleted' ? null : event.name;
        if (name === undefined) continue;
        names.set(event.accountId, name);
        renamed.set(event.accountId, name);
        continue;
      }
      const states = isOfTeam(recorded) ? await this.history.around(recorded) : nobody;
      const described = describe(recorded, states);
      // A rebuild only writes the rows: the entries are already in the log.
      if (described && !sql.rebuilding)
        for (const teamId of await teamsIn(sql, recorded)) {
          const ofTeam = told.get(teamId) ?? [];
          told.set(teamId, ofTeam);
          ofTeam.push(tell(teamId, recorded, described, names));
        }
      if (isOfTeam(recorded))
        await setMembers(sql, recorded.event.teamId, membersOf(states.before), membersOf(states.after));
    }
    await nameAll(sql, renamed);
    await Promise.all([...told].map(([teamId, all]) => this.record(teamId, all)));
  }

  /** Skips events that are not newer than the newest entry: they have entries already. */
  private async record(teamId: string, told: readonly ChainedRecord[]): Promise<void> {
    for (const part of inAppends(told))
      await this.chain.appendAll(teamId, ({ entry }) =>
        part.filter(({ said: { source = '0' } }) => !entry || BigInt(entry.source) < BigInt(source)),
      );
  }
}

function tell(
  teamId: string,
  { id, position, metadata }: Recorded,
  { action, at, target, metadata: fields = {}, unattended }: Described,
  names: Names,
): ChainedRecord {
  const { correlationId, traceparent } = metadata;
  const { actor, origin } = unattended ? byItself : metadata;
  const actorUserId = actor.accountId || null;
  return {
    said: {
      entryId: deriveId('aud', millis(at), teamId, id),
      at,
      action,
      actorUserId,
      actorTokenId: actor.tokenId ?? null,
      target,
      source: String(position),
      actorName: (actorUserId && names.get(actorUserId)) || null,
      ip: origin?.ip ?? null,
      userAgent: origin?.userAgent ?? null,
      metadata: { ...fields, ...(actorUserId === null && actor.process && { process: actor.process }) },
    },
    why: {
      commandId: uuidV5(id, `teams.audit ${teamId}`),
      causationId: id,
      correlationId,
      actor,
      ...carried(traceparent),
    },
  };
}

/** The metadata of events without an actor. */
const byItself: Pick<EventMetadata, 'actor' | 'origin'> = { actor: { process: 'teams.pages' } };

function describe({ stream, event }: Recorded, states: States): Described | undefined {
  const category = Object.entries(followed).find(([name]) => stream.startsWith(`${name}-`));
  const how = category?.[1][event.type];
  return how === undefined || how === noAction ? undefined : how(event, states);
}

/** The teams whose audit logs get the event. */
async function teamsIn(sql: Sql, recorded: Recorded): Promise<readonly string[]> {
  if (isOfApp(recorded)) return teamsOfApp(recorded.event);
  return hasTeam(recorded)
    ? [recorded.event.teamId ?? []].flat()
    : await teamsOf(sql, recorded.metadata.accountId);
}

const isOfTeam = (recorded: Recorded): recorded is Recorded<TeamEvent> => recorded.stream.startsWith('team-');
/** Whether the event names its team, or null for none. Other events belong to all teams of their account. */
const hasTeam = (recorded: Recorded): recorded is Recorded<TeamEvent | PageEvent | ConnectorEvent> =>
  /^(team|page|connector)-/.test(recorded.stream);
const isOfApp = (recorded: Recorded): recorded is Recorded<AppEvent> => recorded.stream.startsWith('app-');
const isOfAccount = (recorded: Recorded): recorded is Recorded<AccountEvent> =>
  recorded.stream.startsWith('account-');

/** The team that has the app, or had it until this event. An app without a team is in no audit log. */
function teamsOfApp(event: AppEvent): readonly string[] {
  if (!('teamId' in event)) return [];
  const former = event.type === 'AppMoved' ? event.formerTeamId : null;
  const teamId = event.teamId ?? former;
  return teamId === null ? [] : [teamId];
}

const membersOf = (state: TeamState): readonly string[] =>
  state?.members.map(({ accountId }) => accountId) ?? [];
