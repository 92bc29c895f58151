import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportIn } from './export';
import { fromGoalert } from './goalert';
import { fromOncall } from './oncall';
import { fromOpsgenie } from './opsgenie';
import { type Found, hasSameTurns } from './rotations';

const recorded = (product: string) =>
  exportIn(readFileSync(join(import.meta.dirname, 'recorded', `${product}.json`), 'utf8'));
const [ann, bob, cem] = ['ann@example.test', 'bob@example.test', 'cem@example.test'];

describe('an export of Grafana OnCall', () => {
  it('becomes groups that begin with the same person at the same time', () =>
    expect(fromOncall(recorded('oncall')).found).toEqual([
      {
        name: 'Nights',
        emails: [bob, cem, ann],
        period: 'weekly',
        handoffAt: '09:00',
        timezone: 'Europe/Berlin',
        startsAt: '2026-03-23T08:00:00.000Z',
        escalation: [{ afterMinutes: 10, target: 'group' }],
      },
      {
        name: 'Development',
        emails: [ann, bob],
        period: 'daily',
        // Which the clock change of the first day skips.
        handoffAt: '02:30',
        timezone: 'America/New_York',
        startsAt: '2026-03-08T07:30:00.000Z',
        escalation: [],
      },
    ]));

  it('says what does not fit', () =>
    expect(fromOncall(recorded('oncall')).unfit).toEqual([
      'shift "Nights: Holiday": its type is override',
      'escalation chain "default": step 3 notifies by "trigger_webhook", Carillon the next person or the whole group',
      'shift "Hours": its shifts leave a part of each turn to nobody',
      'schedule "Demo schedule iCal": its shifts are in a calendar elsewhere',
    ]));
});

describe('an export of Opsgenie', () => {
  it('becomes groups, its delays counted from the notification before', () =>
    expect(fromOpsgenie(recorded('opsgenie')).found).toEqual([
      {
        name: 'Web',
        emails: [ann, bob],
        period: 'weekly',
        handoffAt: '09:00',
        timezone: 'Europe/Berlin',
        startsAt: '2026-03-23T08:00:00.000Z',
        escalation: [
          { afterMinutes: 5, target: 'next' },
          { afterMinutes: 55, target: 'group' },
        ],
      },
      {
        name: 'Mixed: Days',
        emails: [bob],
        period: 'weekly',
        handoffAt: '08:00',
        timezone: 'UTC',
        startsAt: '2026-03-23T08:00:00.000Z',
        escalation: [],
      },
    ]));

  it('says what does not fit', () =>
    expect(fromOpsgenie(recorded('opsgenie')).unfit).toEqual([
      'escalation "Web escalation": Carillon does not repeat it',
      'escalation "Web escalation": step 4 notifies "all" of a team, Carillon the next person or the whole group',
      'schedule "Mixed": its 1 overrides are not imported',
      'rotation "Mixed: Office": it is restricted to some hours',
      'rotation "Mixed: Fortnights": it hands over "weekly" with length 2, Carillon every day or week',
      'rotation "Mixed: Team": a turn is that of a team',
      'rotation "Mixed: Twice": somebody has several turns in it',
    ]));
});

describe('an export of GoAlert', () => {
  it('becomes groups whose next handoff is the same, across a clock change', () =>
    expect(fromGoalert(recorded('goalert')).found).toEqual([
      {
        name: 'Ops',
        emails: [bob, ann],
        period: 'weekly',
        handoffAt: '09:00',
        timezone: 'Europe/Berlin',
        startsAt: '2026-03-23T08:00:00.000Z',
        escalation: [{ afterMinutes: 15, target: 'group' }],
      },
    ]));

  it('has the same turns one handoff later, when the next person is on call', () => {
    const text = readFileSync(join(import.meta.dirname, 'recorded/goalert.json'), 'utf8');
    const exported = (active: number, next: string) =>
      fromGoalert(
        exportIn(
          text
            .replace('"activeUserIndex": 1', `"activeUserIndex": ${active}`)
            .replace('2026-03-30T07:00:00Z', next),
        ),
      );
    const turnsOf = ([ops]: readonly Found[]) => ops && { ...ops, userIds: ops.emails };
    const [first, later, another] = [
      exported(1, '2026-03-30T07:00:00Z'),
      exported(0, '2026-04-06T07:00:00Z'),
      exported(1, '2026-04-06T07:00:00Z'),
    ].map(({ found }) => turnsOf(found));
    if (!first || !later || !another) throw new Error('The export has no rotation');
    expect([hasSameTurns(first, later), hasSameTurns(first, another)]).toEqual([true, false]);
  });

  it('says what does not fit', () =>
    expect(fromGoalert(recorded('goalert')).unfit).toEqual([
      'escalation policy "Ops policy": Carillon does not repeat it',
      'escalation policy "Ops policy": step 3 notifies a target of type slackChannel, Carillon the next person or the whole group',
      'schedule "Office": it is restricted to some hours',
      'rotation "Hours": it hands over "hourly" with length 12, Carillon every day or week',
    ]));
});

describe('a file that is no export', () => {
  it.each([
    ['no JSON', '{"users": [', 'the file holds no JSON'],
    ['a list', '[]', 'the export does not fit: the whole of it is no object'],
    ['a text for a list', '{"schedules": "x"}', 'the export does not fit: schedules is no object'],
    [
      'a nameless schedule',
      '{"schedules": [{"id": "a"}]}',
      'the export does not fit: schedules[0].name is no text',
    ],
    [
      'a number for a name',
      '{"schedules": {"data": [{"name": 7}], "results": [{"name": 7, "id": "a"}], "nodes": [{"name": 7}]}}',
      /^the export does not fit: schedules\.\w+\[0\]\.name is no text$/,
    ],
  ])('is told in one sentence: %s', (_, text, message) => {
    for (const mapping of [fromOncall, fromOpsgenie, fromGoalert])
      expect(() => mapping(exportIn(text))).toThrow(message);
  });

  it('with nothing in it gives nothing', () => {
    for (const mapping of [fromOncall, fromOpsgenie, fromGoalert])
      expect(mapping(exportIn('{}'))).toEqual({ found: [], unfit: [] });
  });
});
