import type { PagedPerson, PageEvent } from '@carillon/contracts';
import { type Instant, plus } from '@carillon/eventing';
import type { OncallGroup } from '../../team/oncall';
import { compare, summaryOf } from './compare';
import { pastPage } from './past-page';

const at = '2026-11-20T12:00:00.000Z';
const minutes = (count: number): Instant => plus(at, count * 60_000);
const now = minutes(600);
const group = (...accountIds: string[]): OncallGroup => ({
  groupId: 'ocg_1',
  name: 'Backend',
  handoffNotices: false,
  rotation: { accountIds, period: 'daily', handoffAt: '09:00', timezone: 'UTC', anchor: '2026-11-20' },
  escalation: [
    { afterMinutes: 5, target: 'next' },
    { afterMinutes: 10, target: 'group' },
  ],
  overrides: [],
  handedOverAt: null,
  createdAt: at,
  updatedAt: at,
});
const of = { pageId: 'page_1', groupId: 'ocg_1', teamId: 'team_1' };
const personal = { groupName: null, title: null, body: null, url: null };
const triggered: PageEvent = {
  type: 'PageTriggered',
  ...of,
  ...personal,
  appId: null,
  dedupKey: null,
  source: 'api',
  escalation: [],
  byAccountId: null,
  tokenId: null,
  requestId: 'r',
  triggeredAt: at,
};
const person = (accountId: string, ...deviceIds: string[]): PagedPerson => ({
  accountId,
  pushId: `psh_${accountId}`,
  deviceIds,
});
const notified = (
  step: number,
  notifiedAt: Instant,
  people: readonly PagedPerson[],
  by: string | null = null,
  nextEscalationAt: Instant | null = null,
): PageEvent => ({
  type: 'PageNotified',
  ...of,
  ...personal,
  step,
  by,
  target: step === 0 ? 'current' : 'next',
  people,
  notifiedAt,
  nextEscalationAt,
});
const acknowledged = (acknowledgedAt: Instant): PageEvent => ({
  type: 'PageAcknowledged',
  ...of,
  by: 'usr_ann',
  notified: ['usr_ann'],
  acknowledgedAt,
});
const compared = (changed: OncallGroup, ...events: readonly PageEvent[]) => {
  const past = pastPage([triggered, ...events]);
  return compare(past ? [past] : [], changed, now);
};
const ring = (accountId: string, when: Instant) => ({ accountId, at: when });

describe('what a page would have done', () => {
  const ann = notified(0, at, [person('usr_ann', 'dev_1')]);
  it('equals what it did, under the same rotation and escalation', () => {
    const events = [ann, notified(1, minutes(5), [person('usr_ben', 'dev_2')]), acknowledged(minutes(7))];
    const [page] = compared(group('usr_ann', 'usr_ben'), ...events);
    expect(page).toEqual({
      pageId: 'page_1',
      before: [ring('usr_ann', at), ring('usr_ben', minutes(5))],
      after: [ring('usr_ann', at), ring('usr_ben', minutes(5))],
      firstRungDeltaSeconds: 0,
    });
    expect(summaryOf([page!])).toMatchObject({
      pageCount: 1,
      changedCount: 0,
      ringsBefore: 2,
      ringsAfter: 2,
    });
  });

  it('is what it did, though its steps ran a moment after they were due', () => {
    const late = plus(minutes(5), 40);
    const events = [
      notified(0, at, [person('usr_ann', 'dev_1')], null, minutes(5)),
      notified(1, late, [person('usr_ben', 'dev_2')], null, plus(late, 600_000)),
      acknowledged(minutes(7)),
    ];
    const pages = compared(group('usr_ann', 'usr_ben'), ...events);
    expect(pages[0]?.after).toEqual([ring('usr_ann', at), ring('usr_ben', late)]);
    expect(summaryOf(pages).changedCount).toBe(0);
  });

  it('is what it did, though a step ran ahead because nobody was reached', () => {
    const events = [
      notified(0, at, [person('usr_ann', 'dev_1')], null, minutes(5)),
      notified(1, minutes(1), [person('usr_ben', 'dev_2')], null, minutes(11)),
      acknowledged(minutes(2)),
    ];
    const pages = compared(group('usr_ann', 'usr_ben'), ...events);
    expect(pages[0]?.after).toEqual([ring('usr_ann', at), ring('usr_ben', minutes(1))]);
    expect(summaryOf(pages)).toMatchObject({ changedCount: 0, ringsBefore: 2, ringsAfter: 2 });
  });

  it('goes to the person that would have been on call, until it is acknowledged', () => {
    const [page] = compared(group('usr_cem', 'usr_ann'), ann, acknowledged(minutes(5)));
    expect(page?.after).toEqual([ring('usr_cem', at)]);
  });

  it('runs all steps without an acknowledgement, and notifies all members if a step says so', () => {
    const [page] = compared(group('usr_ann', 'usr_ben'), ann);
    expect(page?.after).toEqual([
      ring('usr_ann', at),
      ring('usr_ben', minutes(5)),
      ring('usr_ann', minutes(15)),
      ring('usr_ben', minutes(15)),
    ]);
    expect(compared({ ...group('usr_ann'), escalation: [] }, ann)[0]?.after).toEqual([ring('usr_ann', at)]);
  });

  it('is heard later when a person without a device would have been on call longer', () => {
    const events = [
      notified(0, at, [person('usr_ben')]),
      notified(1, at, [person('usr_ann', 'dev_1')]),
      acknowledged(minutes(30)),
    ];
    const slow = { ...group('usr_ben'), escalation: [] };
    expect(compared(slow, ...events)).toMatchObject([{ after: [], firstRungDeltaSeconds: null }]);
    expect(summaryOf(compared(slow, ...events)).unrungCount).toBe(1);
    expect(compared(group('usr_ben', 'usr_ann'), ...events)[0]).toMatchObject({
      before: [ring('usr_ann', at)],
      after: [ring('usr_ann', at), ring('usr_ann', minutes(10))],
      firstRungDeltaSeconds: 0,
    });
  });

  it('is to be heard earlier than when somebody had to hand it on', () => {
    const events = [
      notified(0, at, [person('usr_ben')]),
      notified(1, minutes(3), [person('usr_ann', 'dev_1')], 'usr_cem'),
      acknowledged(minutes(4)),
    ];
    expect(compared(group('usr_ann'), ...events)).toMatchObject([
      { after: [ring('usr_ann', at), ring('usr_ann', minutes(3))], firstRungDeltaSeconds: -180 },
    ]);
  });

  it('notifies everybody when nobody would have been on call', () => {
    const later = { ...group('usr_ann', 'usr_ben'), escalation: [] };
    const gap = { ...later, rotation: { ...later.rotation, anchor: '2026-12-01' } };
    expect(compared(gap, ann)[0]?.after).toEqual([ring('usr_ann', at), ring('usr_ben', at)]);
  });

  it('is nothing for a page that was never triggered', () => expect(pastPage([])).toBeNull());
});
