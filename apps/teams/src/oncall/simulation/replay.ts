import type { EscalationStep } from '@carillon/contracts';
import { type Instant, isAfter, isBefore, plus } from '@carillon/eventing';
import { notify } from '../page/notify';
import { alsoTo, everybodyIn, type Roster, rosterOf } from '../page/roster';
import type { OncallGroup } from '../../team/oncall';
import type { PastPage, Ring } from './past-page';

/**
 * Whom a page would have rung by another rotation or escalation: by the rules that pages follow, up to when it went no
 * further. Who had no device then has none here; what was escalated before its time is so at the same times.
 */
export function replay(past: PastPage, group: OncallGroup, now: Instant): Ring[] {
  const { escalation } = group;
  const end = past.stoppedAt ?? now;
  const hands = [...past.handedOnAt];
  const rings: Ring[] = [];
  let notified: readonly string[] = [];
  let next: { readonly step: number; readonly at: Instant } | null = { step: 0, at: past.triggeredAt };
  while (next !== null) {
    const events = notify(asPage(past, escalation, notified), {
      ...next,
      roster: rosterIn(group, past, next.at),
    });
    for (const { people, notifiedAt } of events) {
      for (const { accountId, deviceIds } of people)
        if (deviceIds.length > 0) rings.push({ accountId, at: notifiedAt });
      notified = alsoTo(notified, people);
    }
    const last = events.at(-1);
    const due = last?.nextEscalationAt ?? null;
    const hand =
      hands[0] !== undefined && (due === null || !isAfter(hands[0], due)) ? hands.shift() : undefined;
    const at = hand ?? (due && carriedOut(due, past));
    const hasMore = last !== undefined && last.step < escalation.length;
    next = last && hasMore && at !== null && isBefore(at, end) ? { step: last.step + 1, at } : null;
  }
  return rings;
}

/** So late a step may have run that it still counts as the one that was due. */
const lateMs = 30_000;

/** When a step that was due did run, where one has: a rotation that stays the same gives the times that were. */
const carriedOut = (due: Instant, { ranAt }: PastPage): Instant =>
  ranAt.find((at) => !isBefore(at, due) && !isAfter(at, plus(due, lateMs))) ?? due;

const asPage = (
  { pageId }: PastPage,
  escalation: readonly EscalationStep[],
  notified: readonly string[],
): Parameters<typeof notify>[0] => ({
  pageId,
  groupId: '',
  teamId: '',
  groupName: null,
  title: null,
  body: null,
  url: null,
  appId: null,
  escalation,
  notified,
});

function rosterIn(group: OncallGroup, { unreachable }: PastPage, at: Instant): Roster {
  const roster = rosterOf(group, at);
  const reachable = everybodyIn(roster).filter((accountId) => !unreachable.has(accountId));
  return { ...roster, devices: new Map(reachable.map((accountId) => [accountId, ['any']])) };
}
