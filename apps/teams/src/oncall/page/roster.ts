import type { EscalationTarget, PagedPerson } from '@carillon/contracts';
import type { Instant } from '@carillon/eventing';
import { deriveId } from '@carillon/signing';
import { millis } from '@carillon/eventing';
import { turnAt, whoseTurn } from '../../rotation/rotation';
import { shiftAt } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';

/** The members that a group can notify at a time. */
export interface Roster {
  /** In the order of their turns. */
  readonly members: readonly string[];
  /** The member on call; null if none. */
  readonly current: string | null;
  /** The member whose turn it is, even during an override. */
  readonly turn: string | null;
  /** The active devices of each member. */
  readonly devices: ReadonlyMap<string, readonly string[]>;
}

/** The roster of a deleted group, without members. */
export const emptyRoster: Roster = { members: [], current: null, turn: null, devices: new Map() };

export const rosterOf = (group: OncallGroup, at: Instant): Omit<Roster, 'devices'> => ({
  members: group.rotation.accountIds,
  current: shiftAt(group, at)?.accountId ?? null,
  turn: whoseTurn(group.rotation, turnAt(group.rotation, at)),
});

/** All accounts that a step may notify. */
export const everybodyIn = ({ members, current }: Omit<Roster, 'devices'>): readonly string[] => [
  ...new Set([...members, ...(current === null ? [] : [current])]),
];

/** The recipients of a step, given the accounts that were notified before, in order. */
export function whom(
  target: 'current' | EscalationTarget,
  { members, current, turn }: Omit<Roster, 'devices'>,
  notified: readonly string[],
): readonly string[] {
  if (target === 'current') return current === null ? members : [current];
  if (target === 'group') return members;
  const newest = notified.findLast((accountId) => members.includes(accountId));
  // A page withdrawn from a leaver goes to the member on call first.
  if (newest === undefined && current !== null && !notified.includes(current)) return [current];
  const last = newest ?? turn;
  // After the last member, start again with the first.
  const from = last === null ? 0 : members.indexOf(last) + 1;
  const next = [...members.slice(from), ...members.slice(0, from)].find((each) => !notified.includes(each));
  return next === undefined ? members : [next];
}

/** All accounts notified of a page after a step, in the order of their first notification. */
export const alsoTo = (
  notified: readonly string[],
  people: readonly Pick<PagedPerson, 'accountId'>[],
): readonly string[] => [...new Set([...notified, ...people.map(({ accountId }) => accountId)])];

/** The push of a step to a person. Its id is derived, and so the same every time. */
export const personPaged = (
  accountId: string,
  { pageId, step, at, devices }: Pick<Roster, 'devices'> & { pageId: string; step: number; at: Instant },
): PagedPerson => ({
  accountId,
  pushId: deriveId('psh', millis(at), pageId, String(step), accountId),
  deviceIds: devices.get(accountId) ?? [],
});
