import type { EscalationTarget, PagedPerson } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { deriveId } from '@carillon/signing';
import { millis } from '@carillon/eventing';
import { turnAt, whoseTurn } from '../../rotation/rotation';
import { shiftAt } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';

/** Whom a group can call at a moment. */
export interface Roster {
  /** In the order of their turns. */
  readonly members: readonly string[];
  /** Who is on call; null when nobody is. */
  readonly current: string | null;
  /** Whose turn it is, also when somebody has taken it over. */
  readonly turn: string | null;
  /** The active devices of each. */
  readonly devices: ReadonlyMap<string, readonly string[]>;
}

/** The roster of a group that exists no more: nobody is left to be called. */
export const emptyRoster: Roster = { members: [], current: null, turn: null, devices: new Map() };

export const rosterOf = (group: OncallGroup, at: Instant): Omit<Roster, 'devices'> => ({
  members: group.rotation.accountIds,
  current: shiftAt(group, at)?.accountId ?? null,
  turn: whoseTurn(group.rotation, turnAt(group.rotation, at)),
});

/** Everybody whom a step may go to. */
export const everybodyIn = ({ members, current }: Omit<Roster, 'devices'>): readonly string[] => [
  ...new Set([...members, ...(current === null ? [] : [current])]),
];

/** Whom a step goes to, when these have been notified before, in this order. */
export function whom(
  target: 'current' | EscalationTarget,
  { members, current, turn }: Omit<Roster, 'devices'>,
  notified: readonly string[],
): readonly string[] {
  if (target === 'current') return current === null ? members : [current];
  if (target === 'group') return members;
  const newest = notified.findLast((accountId) => members.includes(accountId));
  // A leaver's page goes to who is on call now, not past them.
  if (newest === undefined && current !== null && !notified.includes(current)) return [current];
  const last = newest ?? turn;
  // Behind the last one, round to the first again.
  const from = last === null ? 0 : members.indexOf(last) + 1;
  const next = [...members.slice(from), ...members.slice(0, from)].find((each) => !notified.includes(each));
  return next === undefined ? members : [next];
}

/** Everybody whom a page has gone to, in the order in which it first did, when it now goes to these. */
export const alsoTo = (
  notified: readonly string[],
  people: readonly Pick<PagedPerson, 'accountId'>[],
): readonly string[] => [...new Set([...notified, ...people.map(({ accountId }) => accountId)])];

/** The push of a step to a person: one id, however often it is asked for. */
export const personPaged = (
  accountId: string,
  { pageId, step, at, devices }: Pick<Roster, 'devices'> & { pageId: string; step: number; at: Instant },
): PagedPerson => ({
  accountId,
  pushId: deriveId('psh', millis(at), pageId, String(step), accountId),
  deviceIds: devices.get(accountId) ?? [],
});
