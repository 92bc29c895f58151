import type { PageAcknowledged, PageResolved, PageTriggered } from '@carillon/contracts';
import { pageNotified } from '@carillon/testkit';
import { rowChanges } from './page-rows';

const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T09:05:00.000Z';
const of = { pageId: 'page_1', groupId: 'ocg_1', teamId: 'team_1' };
const triggered: PageTriggered = {
  type: 'PageTriggered',
  ...of,
  groupName: 'Backend',
  title: 'Down',
  body: null,
  url: null,
  appId: null,
  dedupKey: null,
  source: 'api',
  escalation: [],
  byAccountId: 'usr_9',
  tokenId: null,
  requestId: 'request',
  triggeredAt: at,
};
const first = pageNotified({ ...of, notifiedAt: at, nextEscalationAt: later });
const second = pageNotified({
  ...of,
  step: 1,
  people: [
    { accountId: 'usr_1', pushId: 'psh_2', deviceIds: ['dev_1'] },
    { accountId: 'usr_2', pushId: 'psh_3', deviceIds: [] },
  ],
  notifiedAt: later,
  nextEscalationAt: null,
});
const acknowledged: PageAcknowledged = {
  type: 'PageAcknowledged',
  ...of,
  by: 'usr_1',
  notified: ['usr_1'],
  acknowledgedAt: later,
};
const resolved: PageResolved = {
  type: 'PageResolved',
  ...of,
  by: null,
  tokenId: null,
  reason: 'recovery',
  note: null,
  notified: ['usr_1'],
  resolvedAt: later,
};

describe('the effect of events on the row of a page', () => {
  it('a triggered page waits for its next step and its pushes', () =>
    expect(rowChanges([triggered, first])).toEqual([
      {
        ...of,
        status: 'triggered',
        notified: ['usr_1'],
        createdAt: at,
        resolvedAt: null,
        step: { step: 0, nextEscalationAt: later },
        pushIds: ['psh_1'],
      },
    ]));

  it('only the newest step and its pushes to devices count; people are listed once', () =>
    expect(rowChanges([triggered, first, second])).toMatchObject([
      { notified: ['usr_1', 'usr_2'], step: { step: 1, nextEscalationAt: null }, pushIds: ['psh_2'] },
    ]));

  it('nothing is scheduled for an acknowledged or resolved page', () => {
    expect(rowChanges([first, acknowledged])).toMatchObject([
      { status: 'acknowledged', step: null, pushIds: [], resolvedAt: null },
    ]);
    expect(rowChanges([acknowledged, resolved])).toMatchObject([
      { status: 'resolved', step: null, pushIds: [], resolvedAt: later },
    ]);
  });

  it('pages are separate', () =>
    expect(
      rowChanges([first, pageNotified({ ...of, pageId: 'page_2' })]).map(({ pageId }) => pageId),
    ).toEqual(['page_1', 'page_2']));
});
