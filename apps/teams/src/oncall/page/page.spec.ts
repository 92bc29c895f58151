import type {
  PageAcknowledged,
  PageNotified,
  PageRepeated,
  PageResolved,
  PageTriggered,
} from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { acknowledge } from './acknowledge';
import { forget } from './forget';
import { escalate, runDue, runUnreached } from './escalate';
import { takeFromLeaver } from './leaver';
import { page } from './page';
import { resolve } from './resolve';
import { personPaged, type Roster } from './roster';
import { trigger } from './trigger';

const at = '2026-11-20T09:00:00.000Z';
const five = '2026-11-20T09:05:00.000Z';
const six = '2026-11-20T09:06:00.000Z';
const fifteen = '2026-11-20T09:15:00.000Z';

const phones = new Map([
  ['usr_a', ['dev_a']],
  ['usr_b', ['dev_b']],
  ['usr_c', ['dev_c']],
]);
const roster: Roster = {
  members: ['usr_a', 'usr_b', 'usr_c'],
  current: 'usr_a',
  turn: 'usr_a',
  devices: phones,
};
const names = { pageId: 'page_1', groupId: 'ocg_1', teamId: 'team_1' };
const shown = { groupName: 'Backend', title: 'Down', body: null, url: null };

const asked = {
  ...names,
  ...shown,
  appId: null,
  dedupKey: 'db',
  source: 'api',
  escalation: [
    { afterMinutes: 5, target: 'next' },
    { afterMinutes: 10, target: 'group' },
  ],
  byAccountId: 'usr_c',
  tokenId: 'tok_1',
  requestId: 'request 1',
} as const;
const triggered: PageTriggered = { type: 'PageTriggered', ...asked, triggeredAt: at };

const notified = (
  step: number,
  target: PageNotified['target'],
  accountIds: readonly string[],
  times: { at: string; next: string | null },
  more: Partial<PageNotified> = {},
): PageNotified => ({
  type: 'PageNotified',
  ...names,
  step,
  by: null,
  target,
  people: accountIds.map((accountId) =>
    personPaged(accountId, { pageId: 'page_1', step, at: times.at, devices: phones }),
  ),
  ...shown,
  notifiedAt: times.at,
  nextEscalationAt: times.next,
  ...more,
});
const first = notified(0, 'current', ['usr_a'], { at, next: five });
const second = notified(1, 'next', ['usr_b'], { at: five, next: fifteen });
const last = notified(2, 'group', ['usr_a', 'usr_b', 'usr_c'], { at: fifteen, next: null });
const acknowledged: PageAcknowledged = {
  type: 'PageAcknowledged',
  ...names,
  by: 'usr_b',
  notified: ['usr_a'],
  acknowledgedAt: six,
};
const resolved: PageResolved = {
  type: 'PageResolved',
  ...names,
  by: 'usr_c',
  tokenId: 'tok_1',
  reason: 'person',
  note: null,
  notified: ['usr_a'],
  resolvedAt: six,
};
const repeated: PageRepeated = {
  type: 'PageRepeated',
  ...names,
  byAccountId: 'usr_c',
  tokenId: 'tok_1',
  requestId: 'request 2',
  repeatedAt: six,
};
const resolving = { by: 'usr_c', tokenId: 'tok_1', reason: 'person', note: null, at: six } as const;
const nobody: Roster = { ...roster, devices: new Map() };
const people = (accountIds: readonly string[], step: number, when: string) =>
  accountIds.map((accountId) =>
    personPaged(accountId, { pageId: 'page_1', step, at: when, devices: new Map() }),
  );

describe('paging', () => {
  it('rings the person on call', () =>
    given(page)
      .when(trigger({ ...asked, roster, at }))
      .then(triggered, first));

  it('names the app that a tap opens in each step', () => {
    const withApp = { ...triggered, appId: 'app_1' };
    given(page)
      .when(trigger({ ...asked, appId: 'app_1', roster, at }))
      .then(withApp, { ...first, appId: 'app_1' });
    given(page, withApp, { ...first, appId: 'app_1' })
      .when(runDue({ step: 0, roster, at: five }))
      .then({ ...second, appId: 'app_1' });
  });

  it('rings everybody in the rotation when nobody is on call', () =>
    given(page)
      .when(trigger({ ...asked, roster: { ...roster, current: null, turn: null }, at }))
      .then(triggered, notified(0, 'current', ['usr_a', 'usr_b', 'usr_c'], { at, next: five })));

  it('does nothing the second time', () =>
    given(page, triggered, first)
      .when(trigger({ ...asked, roster, at: six }))
      .thenNothing());

  it('is absorbed while it is open, and rings nobody', () =>
    given(page, triggered, first)
      .when(trigger({ ...asked, requestId: 'request 2', roster, at: six }))
      .then(repeated));

  it('is absorbed by an acknowledged page', () =>
    given(page, triggered, first, acknowledged)
      .when(trigger({ ...asked, requestId: 'request 2', roster, at: six }))
      .then(repeated));

  it('is absorbed once, even if the command is repeated', () =>
    given(page, triggered, first, repeated)
      .when(trigger({ ...asked, requestId: 'request 2', roster, at: fifteen }))
      .thenNothing());

  it('does not restart a page that is over', () =>
    given(page, triggered, first, resolved)
      .when(trigger({ ...asked, requestId: 'request 2', roster, at: fifteen }))
      .thenNothing());

  it('runs all steps at once when nobody has a device', () =>
    given(page)
      .when(trigger({ ...asked, roster: nobody, at }))
      .then(
        triggered,
        { ...first, people: people(['usr_a'], 0, at), nextEscalationAt: at },
        { ...second, people: people(['usr_b'], 1, at), notifiedAt: at, nextEscalationAt: at },
        { ...last, people: people(['usr_a', 'usr_b', 'usr_c'], 2, at), notifiedAt: at },
      ));

  it('stops at the first step that reaches a device', () =>
    given(page)
      .when(trigger({ ...asked, roster: { ...roster, devices: new Map([['usr_b', ['dev_b']]]) }, at }))
      .then(
        triggered,
        { ...first, people: people(['usr_a'], 0, at), nextEscalationAt: at },
        notified(1, 'next', ['usr_b'], { at, next: '2026-11-20T09:10:00.000Z' }),
      ));

  it('goes to nobody when the rotation is empty', () =>
    given(page)
      .when(
        trigger({
          ...asked,
          escalation: [],
          roster: { ...nobody, members: [], current: null, turn: null },
          at,
        }),
      )
      .then({ ...triggered, escalation: [] }, { ...first, people: [], nextEscalationAt: null }));
});

describe('the time of the next step', () => {
  it('notifies the next person, and counts from now', () =>
    given(page, triggered, first)
      .when(runDue({ step: 0, roster, at: six }))
      .then(notified(1, 'next', ['usr_b'], { at: six, next: '2026-11-20T09:16:00.000Z' })));

  it('does nothing early', () =>
    given(page, triggered, first)
      .when(runDue({ step: 0, roster, at: '2026-11-20T09:04:59.999Z' }))
      .thenNothing());

  it('is inclusive', () =>
    given(page, triggered, first)
      .when(runDue({ step: 0, roster, at: five }))
      .then(second));

  it('does nothing the second time', () =>
    given(page, triggered, first, second)
      .when(runDue({ step: 0, roster, at: fifteen }))
      .thenNothing());

  it('runs the last step, and no other after it', () => {
    given(page, triggered, first, second)
      .when(runDue({ step: 1, roster, at: fifteen }))
      .then(last);
    given(page, triggered, first, second, last)
      .when(runDue({ step: 2, roster, at: '2027-11-20T09:00:00.000Z' }))
      .thenNothing();
  });

  it('runs one step when the clock has moved by a year', () => {
    const later = '2027-11-20T09:00:00.000Z';
    given(page, triggered, first)
      .when(runDue({ step: 0, roster, at: later }))
      .then(notified(1, 'next', ['usr_b'], { at: later, next: '2027-11-20T09:10:00.000Z' }));
  });

  it.each([
    ['acknowledged', acknowledged],
    ['resolved', resolved],
  ])('means nothing once it is %s', (_how, ended) =>
    given(page, triggered, first, ended)
      .when(runDue({ step: 0, roster, at: six }))
      .thenNothing(),
  );
});

describe('a step that reached nobody', () => {
  it('is followed at once', () =>
    given(page, triggered, first)
      .when(runUnreached({ step: 0, roster, at }))
      .then(notified(1, 'next', ['usr_b'], { at, next: '2026-11-20T09:10:00.000Z' })));

  it('is followed once', () =>
    given(page, triggered, first, second)
      .when(runUnreached({ step: 0, roster, at: six }))
      .thenNothing());

  it('is not followed by its time as well', () =>
    given(page, triggered, first, notified(1, 'next', ['usr_b'], { at, next: '2026-11-20T09:10:00.000Z' }))
      .when(runDue({ step: 0, roster, at: five }))
      .thenNothing());

  it('is not followed when it was the last, or when the page is acknowledged', () => {
    given(page, triggered, first, second, last)
      .when(runUnreached({ step: 2, roster, at: fifteen }))
      .thenNothing();
    given(page, triggered, first, acknowledged)
      .when(runUnreached({ step: 0, roster, at: six }))
      .thenNothing();
  });
});

describe('escalating by hand', () => {
  const pressing = { roster, at: six, by: 'usr_a', requestId: 'press 1', asked: 0 };
  const another = { ...pressing, by: 'usr_b', requestId: 'press 2' };
  const pressed = notified(
    1,
    'next',
    ['usr_b'],
    { at: six, next: '2026-11-20T09:16:00.000Z' },
    { by: 'usr_a', requestId: 'press 1' },
  );

  it('runs the next step now', () => given(page, triggered, first).when(escalate(pressing)).then(pressed));

  it('does nothing the second time', () =>
    given(page, triggered, first, pressed).when(escalate(pressing)).thenNothing());

  it('runs one step when two people press at the same time', () =>
    given(page, triggered, first, pressed).when(escalate(another)).thenNothing());

  it('runs one step when its time comes in the same moment', () =>
    given(page, triggered, first, second).when(escalate(another)).thenNothing());

  it('runs no further step for a person who has not seen another escalation, even later', () => {
    given(page, triggered, first, pressed)
      .when(escalate({ ...another, asked: 1, seen: 0 }))
      .thenNothing();
    given(page, triggered, first, pressed, last)
      .when(escalate({ ...another, asked: 2, seen: 0 }))
      .thenNothing();
  });

  it('runs the next step for a person who has seen it, or only missed a step that was due', () => {
    const third = notified(
      2,
      'group',
      ['usr_a', 'usr_b', 'usr_c'],
      { at: six, next: null },
      {
        by: 'usr_b',
        requestId: 'press 2',
      },
    );
    given(page, triggered, first, pressed)
      .when(escalate({ ...another, asked: 1, seen: 1 }))
      .then(third);
    given(page, triggered, first, second)
      .when(escalate({ ...another, asked: 1, seen: 0 }))
      .then(third);
  });

  it('is refused when no step is left', () =>
    given(page, triggered, first, second, last)
      .when(escalate({ ...pressing, asked: 2 }))
      .thenRefused('page.no_further_escalation'));

  it('is refused when the page is acknowledged or resolved', () => {
    given(page, triggered, first, acknowledged)
      .when(escalate(pressing))
      .thenRefused('page.already_acknowledged');
    given(page, triggered, first, resolved).when(escalate(pressing)).thenRefused('page.already_resolved');
  });
});

describe('acknowledging', () => {
  it('takes it over', () =>
    given(page, triggered, first)
      .when(acknowledge({ by: 'usr_b', at: six }))
      .then(acknowledged));

  it('keeps the first acknowledgement', () =>
    given(page, triggered, first, acknowledged)
      .when(acknowledge({ by: 'usr_a', at: six }))
      .thenNothing());

  it('is refused once it is over', () =>
    given(page, triggered, first, resolved)
      .when(acknowledge({ by: 'usr_a', at: six }))
      .thenRefused('page.already_resolved'));
});

describe('resolving', () => {
  it.each([
    ['triggered', [triggered, first]],
    ['acknowledged', [triggered, first, acknowledged]],
  ])('ends a page that is %s', (_state, events) =>
    given(page, ...events)
      .when(resolve(resolving))
      .then(resolved),
  );

  it('does nothing the second time', () =>
    given(page, triggered, first, resolved)
      .when(resolve({ ...resolving, by: 'usr_a' }))
      .thenNothing());

  it('of no page is refused', () => given(page).when(resolve(resolving)).thenRefused('page.unknown'));
});

describe('somebody who leaves the team', () => {
  const withdrawn = (accountId: string, withdrawnAt: string) =>
    ({ type: 'PageWithdrawn', ...names, accountId, withdrawnAt }) as const;
  const left: Roster = { ...roster, members: ['usr_b', 'usr_c'], current: 'usr_b', turn: 'usr_b' };

  it('leaves an open page to the others at once', () =>
    given(page, triggered, first)
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: six }))
      .then(
        withdrawn('usr_a', six),
        notified(1, 'next', ['usr_b'], { at: six, next: '2026-11-20T09:16:00.000Z' }),
      ));

  it('leaves it to all of the group when no step is left', () => {
    const alone = { ...triggered, escalation: [] };
    given(page, alone, { ...first, nextEscalationAt: null })
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: six }))
      .then(withdrawn('usr_a', six), notified(1, 'group', ['usr_b', 'usr_c'], { at: six, next: null }));
    given(page, alone, { ...first, nextEscalationAt: null })
      .when(
        takeFromLeaver({
          accountId: 'usr_a',
          roster: { ...left, members: [], current: null, turn: null },
          at: six,
        }),
      )
      .then(withdrawn('usr_a', six));
  });

  it('leaves it again after coming back and being notified again', () => {
    const back = [triggered, first, withdrawn('usr_a', five), second, last];
    given(page, ...back)
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: fifteen }))
      .then(withdrawn('usr_a', fifteen));
    given(page, ...back.slice(0, 3), notified(1, 'next', ['usr_a', 'usr_b'], { at: five, next: fifteen }))
      .when(takeFromLeaver({ accountId: 'usr_b', roster, at: six }))
      .then(withdrawn('usr_b', six));
  });

  it('changes nothing for others who have it already', () =>
    given(page, triggered, first, second)
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: six }))
      .then(withdrawn('usr_a', six)));

  it('only loses an acknowledged page', () =>
    given(page, triggered, first, acknowledged)
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: six }))
      .then(withdrawn('usr_a', six)));

  it('leaves it once', () =>
    given(page, triggered, first, withdrawn('usr_a', six))
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: six }))
      .thenNothing());

  it('changes nothing of pages that went to others, or that are over', () => {
    given(page, triggered, first)
      .when(takeFromLeaver({ accountId: 'usr_c', roster: left, at: six }))
      .thenNothing();
    given(page, triggered, first, resolved)
      .when(takeFromLeaver({ accountId: 'usr_a', roster: left, at: six }))
      .thenNothing();
  });
});

describe('a page that its team keeps no longer', () => {
  const forgetting = { retentionDays: 7, at: '2026-11-28T09:00:00.000Z' };
  const closed = { ...resolved, resolvedAt: '2026-11-21T09:00:00.000Z' };
  const forgotten = { type: 'PageForgotten', ...names, forgottenAt: forgetting.at } as const;

  it('is forgotten when its retention ends, and not before', () => {
    given(page, triggered, first, closed).when(forget(forgetting)).then(forgotten);
    given(page, triggered, first, closed)
      .when(forget({ ...forgetting, at: '2026-11-28T08:59:59.999Z' }))
      .thenNothing();
  });

  it('is forgotten once', () =>
    given(page, triggered, first, closed, forgotten).when(forget(forgetting)).thenNothing());

  it('stays while it is open, or while the team keeps everything', () => {
    given(page, triggered, first)
      .when(forget({ ...forgetting, at: '2036-01-01T00:00:00.000Z' }))
      .thenNothing();
    given(page, triggered, first, closed)
      .when(forget({ ...forgetting, retentionDays: null }))
      .thenNothing();
  });
});
