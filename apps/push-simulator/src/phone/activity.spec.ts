import {
  ageActivities,
  changeActivity,
  dismissActivity,
  type Activity,
  type ActivityPush,
  type ActivityScreen,
} from './activity.js';

const noon = Date.parse('2026-01-05T12:00:00Z');
const seconds = noon / 1000;
const hour = 3_600_000;
const at = (ms: number) => new Date(ms).toISOString();

const screen = (
  settings: Partial<ActivityScreen['settings']> = {},
  platform: 'ios' | 'android' = 'ios',
): ActivityScreen => ({
  platform,
  settings: {
    authorized: true,
    liveActivities: true,
    frequentPushes: true,
    highPriorityPerHour: null,
    startsPerHour: null,
    ...settings,
  },
  activities: [],
  spent: { high: [], starts: [], messages: [] },
});
const content = (sequence: number, more: object = {}) => ({ title: 'Deploy', sequence, ...more });
const start = (change: Partial<ActivityPush> = {}): ActivityPush => ({
  event: 'start',
  by: 'start token',
  activityId: 'act_1',
  priority: 10,
  timestamp: seconds,
  attributesType: 'CarillonActivity',
  attributes: { activityId: 'act_1' },
  contentState: content(1),
  hasAlert: true,
  ...change,
});
const push = (event: string, change: Partial<ActivityPush> = {}): ActivityPush => ({
  event,
  by: 'update token',
  activityId: 'act_1',
  priority: 5,
  timestamp: seconds + 1,
  contentState: content(2),
  hasAlert: false,
  ...change,
});
/** An iPhone that shows one activity. */
const showing = (settings: Partial<ActivityScreen['settings']> = {}, change: Partial<ActivityPush> = {}) => {
  const phone = screen(settings);
  expect(changeActivity(phone, start(change), noon).shown).toBe(true);
  return phone;
};
const only = (phone: ActivityScreen): Activity => {
  expect(phone.activities).toHaveLength(1);
  return phone.activities[0]!;
};

describe('a start on an iPhone', () => {
  it('shows the activity and asks for an update token', () => {
    const phone = screen();
    const outcome = changeActivity(phone, start({ relevance: 50, staleDate: seconds + 60 }), noon);
    expect(outcome).toEqual({ shown: true, started: only(phone) });
    expect(only(phone)).toMatchObject({
      activityId: 'act_1',
      state: 'active',
      contentState: { title: 'Deploy' },
      sequence: 1,
      timestamp: seconds,
      relevance: 50,
      staleDate: at(noon + 60_000),
      startedAt: at(noon),
      updateTokenRegistered: false,
    });
  });

  it.each<[string, Partial<ActivityPush>, string]>([
    ['on an update token', { by: 'update token' }, 'a start push on an update token'],
    ['without a timestamp', { timestamp: undefined }, 'without timestamp'],
    ['without attributes-type', { attributesType: undefined }, 'attributes-type and attributes are needed'],
    ['without attributes', { attributes: undefined }, 'attributes-type and attributes are needed'],
    ['of a type that the app has not', { attributesType: 'Other' }, 'the app has no activity type Other'],
    ['without an activity id', { activityId: undefined }, 'carry no activityId'],
    ['without an alert', { hasAlert: false }, 'needs an alert'],
    ['without content-state', { contentState: undefined }, 'no content-state'],
    ['with content that the app cannot read', { contentState: { title: 7, sequence: 1 } }, 'title must be'],
  ])('%s shows nothing, and says so', (_, change, why) => {
    const phone = screen();
    const outcome = changeActivity(phone, start(change), noon);
    expect(outcome).toEqual({ shown: false, why: expect.stringContaining(why) as string });
    expect(phone.activities).toEqual([]);
  });

  it('that comes twice shows one activity', () => {
    const phone = showing();
    expect(changeActivity(phone, start(), noon)).toEqual({
      shown: false,
      why: 'act_1 was started before: the app ended the second one at once',
    });
    changeActivity(phone, push('end', { dismissalDate: seconds }), noon);
    expect(changeActivity(phone, start(), noon).shown).toBe(false);
    expect(only(phone).state).toBe('dismissed');
  });

  it('with something new shows an activity again that is over', () => {
    const phone = showing();
    changeActivity(phone, push('end'), noon);
    expect(changeActivity(phone, start({ contentState: content(3) }), noon).shown).toBe(true);
    expect(only(phone)).toMatchObject({ state: 'active', sequence: 3 });
    expect(only(phone).endedAt).toBeUndefined();
  });

  it('is the sixth only when one of five has ended', () => {
    const phone = screen();
    const begin = (id: string) => changeActivity(phone, start({ activityId: id }), noon);
    for (const id of ['a', 'b', 'c', 'd', 'e']) expect(begin(id).shown).toBe(true);
    expect(begin('f').why).toContain('5 activities of this app are running');
    changeActivity(phone, push('end', { activityId: 'a' }), noon);
    expect(begin('f').shown).toBe(true);
  });

  it('makes no sound where notifications are not allowed, and is shown all the same', () => {
    const outcome = changeActivity(screen({ authorized: false }), start(), noon);
    expect(outcome).toMatchObject({
      shown: true,
      why: expect.stringContaining('without its alert') as string,
    });
  });

  it('is ignored where live activities are switched off', () => {
    const phone = screen({ liveActivities: false });
    expect(changeActivity(phone, start(), noon).why).toBe('live activities are switched off on this phone');
    expect(phone.activities).toEqual([]);
  });
});

describe('an update on an iPhone', () => {
  it('takes newer content', () => {
    const phone = showing();
    expect(changeActivity(phone, push('update'), noon + 5)).toEqual({ shown: true });
    expect(only(phone)).toMatchObject({ sequence: 2, timestamp: seconds + 1, updatedAt: at(noon + 5) });
  });

  it.each<[string, Partial<ActivityPush>, string]>([
    ['with an older timestamp', { timestamp: seconds - 1 }, 'is not newer than'],
    ['with the same timestamp', { timestamp: seconds }, 'is not newer than'],
    ['without a timestamp', { timestamp: undefined }, 'without timestamp'],
    ['on the push-to-start token', { by: 'start token' }, 'event update on the push-to-start token'],
    ['of an activity that is not here', { activityId: 'act_9' }, 'no activity act_9'],
    ['without content-state', { contentState: undefined }, 'without content-state'],
    ['with content that the app cannot read', { contentState: content(2, { layout: 'pie' }) }, 'layout must'],
    ['with an unknown event', { event: 'pause' }, 'unknown event pause'],
  ])('%s changes nothing, and says so', (_, change, why) => {
    const phone = showing();
    const outcome = changeActivity(phone, push('update', change), noon);
    expect(outcome).toEqual({ shown: false, why: expect.stringContaining(why) as string });
    expect(only(phone)).toMatchObject({ sequence: 1, timestamp: seconds, state: 'active' });
  });

  it('after the end changes nothing', () => {
    const phone = showing();
    changeActivity(phone, push('end', { timestamp: seconds + 1 }), noon);
    expect(changeActivity(phone, push('update', { timestamp: seconds + 2 }), noon).why).toBe(
      'ignored: act_1 has ended',
    );
    expect(changeActivity(phone, push('end', { timestamp: seconds + 3 }), noon).shown).toBe(false);
  });

  it('comes to nothing when the person took the activity away', () => {
    const phone = showing();
    dismissActivity(only(phone), noon, 'the person');
    expect(changeActivity(phone, push('update'), noon).why).toBe(
      'ignored: act_1 was dismissed by the person',
    );
  });
});

describe('the budget of an iPhone', () => {
  const high = (phone: ActivityScreen, timestamp: number, now = noon) =>
    changeActivity(phone, push('update', { priority: 10, timestamp }), now);

  it('drops what is over it without a word, and only at priority 10', () => {
    const phone = showing({ highPriorityPerHour: 2 });
    expect(high(phone, seconds + 1).shown).toBe(true);
    expect(changeActivity(phone, push('update', { timestamp: seconds + 2 }), noon).shown).toBe(true);
    expect(high(phone, seconds + 3).shown).toBe(true);
    expect(high(phone, seconds + 4)).toEqual({
      shown: false,
      why: 'dropped: the budget of 2 pushes at priority 10 an hour is used up',
    });
    expect(changeActivity(phone, push('update', { timestamp: seconds + 5 }), noon).shown).toBe(true);
  });

  it('is for an hour that goes along, and a dropped push takes nothing of it', () => {
    const phone = showing({ highPriorityPerHour: 1 });
    expect(high(phone, seconds + 1, noon).shown).toBe(true);
    expect(high(phone, seconds + 2, noon + hour - 1).shown).toBe(false);
    expect(high(phone, seconds + 2, noon + hour).shown).toBe(true);
  });

  it('counts ends, and is one for all activities of the phone', () => {
    const phone = showing({ highPriorityPerHour: 1 });
    changeActivity(phone, start({ activityId: 'act_2' }), noon);
    expect(changeActivity(phone, push('end', { activityId: 'act_2', priority: 10 }), noon).shown).toBe(true);
    expect(changeActivity(phone, push('end', { priority: 10 }), noon).shown).toBe(false);
    expect(phone.activities.map((activity) => activity.state)).toEqual(['active', 'ended']);
  });

  it('is a quarter where the person switched frequent updates off', () => {
    const phone = showing({ highPriorityPerHour: 4, frequentPushes: false });
    expect(high(phone, seconds + 1).shown).toBe(true);
    expect(high(phone, seconds + 2).why).toContain('the budget of 1 pushes');
  });

  it('for starts is another one, at any priority', () => {
    const phone = screen({ startsPerHour: 1, highPriorityPerHour: 1 });
    expect(changeActivity(phone, start({ priority: 5 }), noon).shown).toBe(true);
    expect(changeActivity(phone, start({ activityId: 'act_2' }), noon).why).toBe(
      'dropped: the budget of 1 push-to-start pushes an hour is used up',
    );
    expect(high(phone, seconds + 1).shown).toBe(true);
  });
});

describe('time on an iPhone', () => {
  it('makes an activity stale, and news makes it fresh', () => {
    const phone = showing({}, { staleDate: seconds + 60 });
    expect(ageActivities(phone, noon + 59_999)).toBe(false);
    expect(only(phone).state).toBe('active');
    expect(ageActivities(phone, noon + 60_000)).toBe(true);
    expect(only(phone).state).toBe('stale');
    expect(ageActivities(phone, noon + 60_001)).toBe(false);
    changeActivity(phone, push('update'), noon + 60_002);
    expect(only(phone)).toMatchObject({ state: 'active', staleDate: undefined });
  });

  it('ends an activity after eight hours and takes it away four hours later', () => {
    const phone = showing();
    ageActivities(phone, noon + 8 * hour - 1);
    expect(only(phone).state).toBe('active');
    ageActivities(phone, noon + 8 * hour);
    expect(only(phone)).toMatchObject({
      state: 'ended',
      endedBy: 'the 8-hour limit',
      endedAt: at(noon + 8 * hour),
    });
    const late = push('update', { timestamp: seconds + 30_000 });
    expect(changeActivity(phone, late, noon + 8 * hour).why).toContain('ended by the 8-hour limit');
    ageActivities(phone, noon + 12 * hour - 1);
    expect(only(phone).state).toBe('ended');
    ageActivities(phone, noon + 12 * hour);
    expect(only(phone)).toMatchObject({ state: 'dismissed', dismissedAt: at(noon + 12 * hour) });
  });

  it('does both at once when nobody looked for twelve hours', () => {
    const phone = showing();
    ageActivities(phone, noon + 20 * hour);
    expect(only(phone)).toMatchObject({
      state: 'dismissed',
      endedAt: at(noon + 8 * hour),
      dismissedAt: at(noon + 12 * hour),
    });
  });

  const ended = (dismissalDate: number | undefined): ActivityScreen => {
    const phone = showing();
    changeActivity(phone, push('end', { dismissalDate, contentState: content(9) }), noon);
    expect(only(phone)).toMatchObject({ sequence: 9, endedBy: 'a push' });
    return phone;
  };

  it('takes an ended activity away at its dismissal date', () => {
    const phone = ended(seconds + 300);
    ageActivities(phone, noon + 299_999);
    expect(only(phone).state).toBe('ended');
    ageActivities(phone, noon + 300_000);
    expect(only(phone).state).toBe('dismissed');
  });

  it('takes it away at once when that date is past', () => {
    expect(only(ended(seconds - 10))).toMatchObject({ state: 'dismissed', dismissedAt: at(noon) });
  });

  it.each([
    ['no date', undefined],
    ['a date beyond', seconds + 90_000],
  ])('keeps it four hours with %s', (_, date) => {
    const phone = ended(date);
    ageActivities(phone, noon + 4 * hour - 1);
    expect(only(phone).state).toBe('ended');
    ageActivities(phone, noon + 4 * hour);
    expect(only(phone).state).toBe('dismissed');
  });

  it('leaves the content when an end brings none', () => {
    const phone = showing();
    changeActivity(phone, push('end', { contentState: undefined }), noon);
    expect(only(phone)).toMatchObject({ state: 'ended', sequence: 1, contentState: { title: 'Deploy' } });
  });
});

describe('an Android phone', () => {
  const message = (event: string, seq: number | undefined, change: Partial<ActivityPush> = {}) =>
    push(event, {
      by: 'device token',
      seq,
      contentState: content(seq ?? 1),
      timestamp: undefined,
      ...change,
    });
  const phone = (settings: Partial<ActivityScreen['settings']> = {}) => screen(settings, 'android');

  it('shows an ongoing notification, in the order of seq', () => {
    const pixel = phone();
    expect(changeActivity(pixel, message('start', 1), noon)).toEqual({ shown: true });
    expect(changeActivity(pixel, message('update', 3), noon).shown).toBe(true);
    expect(changeActivity(pixel, message('update', 2), noon).why).toBe(
      'the app dropped it: seq 2 is not newer than 3',
    );
    expect(changeActivity(pixel, message('update', 3), noon).shown).toBe(false);
    expect(only(pixel)).toMatchObject({ state: 'active', sequence: 3, contentState: { sequence: 3 } });
  });

  it('shows it from an update that overtook the start, which is then dropped', () => {
    const pixel = phone();
    expect(changeActivity(pixel, message('update', 2), noon).shown).toBe(true);
    expect(changeActivity(pixel, message('start', 1), noon).shown).toBe(false);
    expect(only(pixel)).toMatchObject({ state: 'active', sequence: 2 });
  });

  it('remembers an end that overtook the start', () => {
    const pixel = phone();
    expect(changeActivity(pixel, message('end', 2), noon)).toEqual({
      shown: false,
      why: 'act_1 was not on the screen',
    });
    expect(changeActivity(pixel, message('start', 1), noon).shown).toBe(false);
    expect(only(pixel).state).toBe('dismissed');
  });

  it('keeps an ended one until its dismissal, and without one takes it away at once', () => {
    const pixel = phone();
    changeActivity(pixel, message('start', 1), noon);
    changeActivity(pixel, message('end', 2, { dismissalDate: seconds + 300 }), noon);
    expect(only(pixel)).toMatchObject({ state: 'ended', sequence: 2 });
    ageActivities(pixel, noon + 299_000);
    expect(only(pixel).state).toBe('ended');
    ageActivities(pixel, noon + 300_000);
    expect(only(pixel).state).toBe('dismissed');

    const other = phone();
    changeActivity(other, message('start', 1), noon);
    expect(changeActivity(other, message('end', 2), noon).shown).toBe(true);
    expect(only(other).state).toBe('dismissed');
  });

  it('shows no update after the end', () => {
    const pixel = phone();
    changeActivity(pixel, message('start', 1), noon);
    changeActivity(pixel, message('end', 2), noon);
    expect(changeActivity(pixel, message('update', 3), noon).why).toBe('the app dropped it: act_1 has ended');
    expect(only(pixel).state).toBe('dismissed');
  });

  it('looks stale and goes at its expiry, and has no limit of eight hours', () => {
    const pixel = phone();
    changeActivity(pixel, message('start', 1), noon);
    ageActivities(pixel, noon + 9 * hour);
    expect(only(pixel).state).toBe('active');
    changeActivity(
      pixel,
      message('update', 2, { staleDate: seconds + 40_000, expiryDate: seconds + 50_000 }),
      noon,
    );
    ageActivities(pixel, noon + 40_000_000);
    expect(only(pixel).state).toBe('stale');
    ageActivities(pixel, noon + 50_000_000);
    expect(only(pixel)).toMatchObject({ state: 'dismissed', endedBy: 'its expiry' });
  });

  it.each<[string, Partial<ActivityPush>, string]>([
    ['an unknown event', { event: 'pause' }, 'unknown event pause'],
    ['no activity id', { activityId: undefined }, 'no activityId'],
    ['no seq', { seq: undefined }, 'no seq'],
    ['a seq that is no whole number', { seq: 1.5 }, 'no seq'],
    ['no content', { contentState: undefined }, 'no contentState'],
    ['content that the app cannot read', { contentState: { sequence: 1 } }, 'title must be'],
  ])('drops a message with %s', (_, change, why) => {
    const pixel = phone();
    const outcome = changeActivity(pixel, message('start', 1, change), noon);
    expect(outcome).toEqual({ shown: false, why: expect.stringContaining(why) as string });
    expect(pixel.activities).toEqual([]);
  });

  it('shows nothing where notifications are not allowed', () => {
    const pixel = phone({ authorized: false });
    expect(changeActivity(pixel, message('start', 1), noon).why).toContain('not allowed');
    expect(pixel.activities).toEqual([]);
  });

  it('shows an ordinary notification where live updates are switched off', () => {
    const outcome = changeActivity(phone({ liveActivities: false }), message('start', 1), noon);
    expect(outcome).toMatchObject({ shown: true, why: expect.stringContaining('ordinary') as string });
  });

  it('has more than five at once, and no budget', () => {
    const pixel = phone({ highPriorityPerHour: 0, startsPerHour: 0 });
    for (let n = 0; n < 9; n++)
      expect(changeActivity(pixel, message('start', 1, { activityId: `act_${n}` }), noon).shown).toBe(true);
  });

  it('does not bring back what the person took away, until it is started again', () => {
    const pixel = phone();
    changeActivity(pixel, message('start', 1), noon);
    dismissActivity(only(pixel), noon, 'the person');
    expect(changeActivity(pixel, message('update', 2), noon).why).toContain('dismissed by the person');
    expect(changeActivity(pixel, message('start', 3), noon).shown).toBe(true);
    expect(only(pixel).state).toBe('active');
  });
});
