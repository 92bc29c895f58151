import { type Instant, plus } from '@carillon/eventing';
import { costlyTexts } from '@carillon/testkit';
import ICAL from 'ical.js';
import { shiftsIn } from '../../rotation/shifts';
import type { OncallGroup } from '../../team/oncall';
import { calendarOf, type Feed } from './feed';
import { property, text, written } from './lines';

/** What a generator returns at its end. */
function last<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const dayMs = 24 * 3_600_000;
const at = '2026-03-20T12:00:00.000Z';
const group = (timezone: string, said: Partial<OncallGroup> = {}): OncallGroup => ({
  groupId: 'ocg_1',
  handoffNotices: false,
  name: 'Backend',
  rotation: {
    accountIds: ['usr_ann', 'usr_ben'],
    period: 'daily',
    handoffAt: '02:30',
    timezone,
    anchor: '2026-01-01',
  },
  escalation: [],
  overrides: [],
  handedOverAt: null,
  createdAt: at,
  updatedAt: at,
  ...said,
});
const feed = (said: Partial<Feed> & Pick<Feed, 'groups'>): string =>
  last(
    calendarOf({
      title: 'On call',
      accountId: null,
      nameOf: (accountId) => ({ usr_ann: 'Ann', usr_ben: 'Ben' })[accountId] ?? '',
      now: at,
      ...said,
    }),
  );

interface Imported {
  readonly uid: string;
  readonly summary: string;
  readonly startsAt: Instant;
  readonly endsAt: Instant;
}

/** Parses the text as a calendar program does. */
function imported(text: string): Imported[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const { uid, summary, startDate, endDate } = new ICAL.Event(component);
    const instant = (time: { toUnixTime(): number }): Instant =>
      new Date(time.toUnixTime() * 1_000).toISOString();
    return { uid, summary, startsAt: instant(startDate), endsAt: instant(endDate) };
  });
}
const windows = (shifts: readonly { startsAt: Instant; endsAt: Instant }[]) =>
  shifts.map(({ startsAt, endsAt }) => [startsAt, endsAt]);

describe('what a calendar program reads of a group', () => {
  it.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Cairo', 'America/Santiago', 'Asia/Tokyo', 'UTC'])(
    'are its shifts across the clock changes of %s',
    (timezone) => {
      const one = group(timezone);
      const found = imported(feed({ groups: [one] }));
      const shifts = shiftsIn(one, { startsAt: at, endsAt: plus(at, 180 * dayMs) });
      expect(windows(found)).toEqual(windows(shifts));
      expect(found.map(({ summary }) => summary)).toEqual(
        shifts.map(({ accountId }) => (accountId === 'usr_ann' ? 'Backend: Ann' : 'Backend: Ben')),
      );
    },
  );

  it('are turns and overrides, also one that ends in the second of two equal hours', () => {
    const now = '2026-10-24T12:00:00.000Z';
    const over = { startsAt: '2026-10-24T23:00:00.000Z', endsAt: '2026-10-25T01:30:00.000Z' };
    const one = group('Europe/Berlin', {
      overrides: [{ overrideId: 'ovr_1', accountId: 'usr_ben', ...over }],
    });
    const found = imported(feed({ groups: [one], now }));
    expect(windows(found)).toContainEqual([over.startsAt, over.endsAt]);
    expect(windows(found)).toEqual(windows(shiftsIn(one, { startsAt: now, endsAt: plus(now, 180 * dayMs) })));
  });

  it('keep their ids while the calendar is read again, and each has another', () => {
    const now = plus(at, dayMs);
    const [first, later] = [
      imported(feed({ groups: [group('UTC')] })),
      imported(feed({ groups: [group('UTC')], now })),
    ];
    expect(new Set(first.map(({ uid }) => uid)).size).toBe(first.length);
    expect(first[2]?.uid).toBe(later[1]?.uid);
  });

  it('is a calendar when nobody is on call, and when there is no group', () => {
    const rotation = { ...group('UTC').rotation, accountIds: [] };
    expect(imported(feed({ groups: [group('UTC', { rotation })] }))).toEqual([]);
    expect(imported(feed({ groups: [], accountId: 'usr_ann' }))).toEqual([]);
  });

  it('has names as they are, however long and whatever is in them', () => {
    const name = 'Datenbank; "Nacht", \\Süd\\ 🔔'.repeat(3);
    const text = feed({ groups: [group('UTC', { name })] });
    expect(imported(text)[0]?.summary).toBe(`${name}: Ann`);
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  });
});

describe('what a calendar program reads of somebody', () => {
  it('are their own shifts in all groups, in the order of time', () => {
    const groups = [group('Europe/Berlin'), group('Asia/Tokyo', { groupId: 'ocg_2', name: 'Platform' })];
    const found = imported(feed({ groups, accountId: 'usr_ann' }));
    const own = groups.flatMap((one) =>
      shiftsIn(one, { startsAt: at, endsAt: plus(at, 180 * dayMs) }).filter(
        ({ accountId }) => accountId === 'usr_ann',
      ),
    );
    expect(windows(found)).toEqual(windows([...own].sort((a, b) => (a.startsAt < b.startsAt ? -1 : 1))));
    expect(new Set(found.map(({ summary }) => summary))).toEqual(
      new Set(['On call: Backend', 'On call: Platform']),
    );
  });
});

it('the work of a line grows with the length of its text', () =>
  expect(costlyTexts((name) => written([property('SUMMARY', text(name))]))).toEqual([]));
