import { apnsPush } from './apns/push.js';
import { fcmPush } from './fcm/push.js';
import { arrive, reconnect } from './phone/arrival.js';
import {
  clearPhone,
  digestOf,
  newSettings,
  signOut,
  stopActivities,
  uninstall,
  type Phone,
  type Push,
} from './phone/phone.js';

const now = Date.parse('2026-01-05T09:00:00Z');
const topic = 'dev.carillon.app';

const newPhone = (platform: 'ios' | 'android' = 'ios', settings: Partial<Phone['settings']> = {}): Phone => ({
  id: 'phone_1',
  platform,
  name: 'Phone',
  environment: 'sandbox',
  bundleId: topic,
  installId: 'install',
  createdAt: new Date(now).toISOString(),
  pushToken: 'aa',
  deadTokens: [],
  settings: { ...newSettings, ...settings },
  tray: [],
  activities: [],
  stored: [],
  digests: [],
  spent: { high: [], starts: [], messages: [] },
});

let n = 0;
const alert = (id: string, own: object = {}, change: object = {}, aps: object = {}): Push =>
  apnsPush(
    `apns-${++n}`,
    n,
    {
      apnsId: undefined,
      topic,
      bundleId: topic,
      pushType: 'alert',
      priority: 10,
      expiration: undefined,
      collapseId: undefined,
      ...change,
    },
    {
      aps: { alert: { title: 'Build', body: 'green' }, ...aps },
      carillon: { type: 'notification', id, ...own },
    },
    { kind: 'alert' },
    now,
  );
const withdraw = (id: string): Push =>
  alert(
    id,
    { type: 'withdraw' },
    { pushType: 'background', priority: 5 },
    { alert: undefined, 'content-available': 1 },
  );
const live = (by: 'start' | 'update', aps: object): Push =>
  apnsPush(
    `apns-${++n}`,
    n,
    {
      apnsId: undefined,
      topic: `${topic}.push-type.liveactivity`,
      bundleId: topic,
      pushType: 'liveactivity',
      priority: 5,
      expiration: undefined,
      collapseId: undefined,
    },
    { aps: { timestamp: 1000, ...aps } },
    by === 'start' ? { kind: 'start' } : { kind: 'update', activityId: 'act_1' },
    now,
  );
const started = {
  event: 'start',
  'attributes-type': 'CarillonActivity',
  attributes: { activityId: 'act_1' },
  'content-state': { title: 'Deploy', progress: 0.1, sequence: 1 },
  alert: { title: 'Deploy', body: 'started' },
};
const data = (entries: Record<string, string>, android: object = {}): Push =>
  fcmPush(`projects/p/messages/${++n}`, n, { token: 't', data: entries, android: { ...android } }, now);
const ids = (phone: Phone) => phone.tray.map((shown) => shown.id);

describe('a notification', () => {
  it('lies on top of the tray, and asks for a receipt', () => {
    const phone = newPhone();
    expect(arrive(phone, alert('anot_1'), now)).toEqual({
      shown: true,
      why: undefined,
      receiptFor: 'anot_1',
    });
    arrive(phone, alert('anot_2'), now);
    expect(ids(phone)).toEqual(['anot_2', 'anot_1']);
    expect(phone.tray[0]).toMatchObject({ title: 'Build', body: 'green', category: null, actions: [] });
  });

  it('shows twice on an iPhone when it is sent twice without a collapse id', () => {
    const phone = newPhone();
    arrive(phone, alert('anot_1'), now);
    arrive(phone, alert('anot_1'), now);
    expect(ids(phone)).toEqual(['anot_1', 'anot_1']);
  });

  it('shows once when both have the same collapse id', () => {
    const phone = newPhone();
    arrive(phone, alert('anot_1', {}, { collapseId: 'a' }), now);
    arrive(phone, alert('anot_2'), now);
    arrive(phone, alert('anot_1', {}, { collapseId: 'a' }), now);
    expect(ids(phone)).toEqual(['anot_1', 'anot_2']);
  });

  it('shows once on Android, where the app names it by its id', () => {
    const phone = newPhone('android');
    arrive(phone, data({ type: 'notification', id: 'anot_1', title: 'a' }), now);
    arrive(phone, data({ type: 'notification', id: 'anot_1', title: 'b' }), now);
    expect(phone.tray).toMatchObject([{ id: 'anot_1', title: 'b' }]);
  });

  it('replaces by collapse key and tag on Android', () => {
    const phone = newPhone('android');
    const push = (id: string, tag: string) =>
      data({ type: 'notification', id, title: 'a' }, { collapse_key: 'job', notification: { tag } });
    arrive(phone, push('anot_1', 'x'), now);
    arrive(phone, push('anot_2', 'y'), now);
    arrive(phone, push('anot_3', 'x'), now);
    expect(ids(phone)).toEqual(['anot_3', 'anot_2']);
  });

  it('is dropped by the app when it is older than what lies there', () => {
    const phone = newPhone('android');
    arrive(phone, data({ type: 'notification', id: 'anot_1', title: 'new', seq: '2' }), now);
    const late = arrive(phone, data({ type: 'notification', id: 'anot_1', title: 'old', seq: '1' }), now);
    expect(late).toEqual({ shown: false, why: 'the app dropped it: seq 1 is older than 2' });
    expect(phone.tray[0]!.title).toBe('new');
  });

  it('is not shown when it is not allowed, has expired, or says nothing', () => {
    const phone = newPhone('ios', { authorized: false });
    expect(arrive(phone, alert('anot_1'), now).why).toContain('not allowed');
    phone.settings.authorized = true;
    expect(arrive(phone, alert('anot_1', {}, { expiration: now / 1000 - 1 }), now).why).toContain('expired');
    expect(arrive(phone, alert('anot_1', { expiresAt: '2026-01-05T08:59:00Z' }), now).why).toContain(
      'expired',
    );
    expect(arrive(phone, alert('anot_1', {}, {}, { alert: undefined }), now).why).toContain(
      'nothing to show',
    );
    expect(phone.tray).toEqual([]);
  });

  it('fills the tray no further than a phone would', () => {
    const phone = newPhone('android');
    for (let at = 0; at < 60; at++) arrive(phone, data({ id: `anot_${at}`, title: 'a' }), now);
    expect(phone.tray).toHaveLength(50);
    expect(phone.tray[0]!.id).toBe('anot_59');
  });
});

describe('a prompt', () => {
  const prompt = (category: string | undefined, actions?: unknown) =>
    alert('int_1', { type: 'prompt', actions, actionDigest: 'sha256:a' }, {}, { category });

  it('has the buttons of its category', () => {
    const actions = (category: string, labels?: unknown) => {
      const phone = newPhone();
      arrive(phone, prompt(category, labels), now);
      return phone.tray[0]!.actions.map((action) => `${action.answer}:${action.label}`);
    };
    expect(actions('CARILLON_APPROVAL')).toEqual(['approved:Approve', 'denied:Deny']);
    expect(actions('CARILLON_APPROVAL', ['Ship', 'Hold'])).toEqual(['approved:Ship', 'denied:Hold']);
    const labelled = [
      { id: 'yes', label: 'Sure' },
      { id: 'no', label: 'Never' },
    ];
    expect(actions('CARILLON_YES_NO', labelled)).toEqual(['yes:Sure', 'no:Never']);
    expect(actions('CARILLON_YES_NO')).toEqual(['yes:Yes', 'no:No']);
    expect(actions('CARILLON_REPLY', ['red', { label: 'blue' }, 7])).toEqual(['red:red', 'blue:blue']);
  });

  it('takes a typed reply', () => {
    const phone = newPhone();
    arrive(phone, prompt('CARILLON_REPLY'), now);
    expect(phone.tray[0]).toMatchObject({ promptId: 'int_1', reply: true, actionDigest: 'sha256:a' });
  });

  it('of a category that the app does not know has no buttons, and says so', () => {
    const phone = newPhone();
    expect(arrive(phone, prompt('SOMETHING'), now)).toMatchObject({
      shown: true,
      why: 'the app registers no category SOMETHING: no buttons',
    });
    expect(phone.tray[0]!.actions).toEqual([]);
    expect(arrive(phone, prompt(undefined), now).why).toContain('without a category');
  });

  it('asks for no receipt', () => {
    expect(arrive(newPhone(), prompt('CARILLON_YES_NO'), now).receiptFor).toBeUndefined();
  });

  it('is remembered by what it showed after it was withdrawn', () => {
    const phone = newPhone();
    arrive(phone, prompt('CARILLON_YES_NO'), now);
    expect(arrive(phone, withdraw('int_1'), now)).toEqual({ shown: false, why: 'withdrew int_1' });
    expect(phone.tray).toEqual([]);
    expect(digestOf(phone, 'int_1')).toBe('sha256:a');
  });
});

describe('a withdrawal', () => {
  it('that comes twice finds nothing the second time', () => {
    const phone = newPhone();
    arrive(phone, alert('anot_1'), now);
    arrive(phone, alert('anot_2'), now);
    expect(arrive(phone, withdraw('anot_1'), now).why).toBe('withdrew anot_1');
    expect(arrive(phone, withdraw('anot_1'), now).why).toBe('anot_1 was not in the tray');
    expect(ids(phone)).toEqual(['anot_2']);
  });

  it('does not wake the app without content-available', () => {
    const phone = newPhone();
    arrive(phone, alert('anot_1'), now);
    const push = alert('anot_1', { type: 'withdraw' }, { pushType: 'background' }, { alert: undefined });
    expect(arrive(phone, push, now).why).toContain('content-available');
    expect(ids(phone)).toEqual(['anot_1']);
  });
});

describe('an offline phone', () => {
  it('gets the newest alert of APNs when it is back', () => {
    const phone = newPhone('ios', { online: false });
    expect(arrive(phone, alert('anot_1'), now).why).toBe('stored: the phone is offline');
    arrive(phone, alert('anot_2'), now);
    phone.settings.online = true;
    const [only, ...others] = reconnect(phone, now);
    expect(only!.outcome).toMatchObject({ shown: true, receiptFor: 'anot_2' });
    expect(others).toEqual([]);
    expect(reconnect(phone, now)).toEqual([]);
  });

  it('gets nothing that was not to be stored, or has expired since', () => {
    const phone = newPhone('ios', { online: false });
    expect(arrive(phone, alert('anot_1', {}, { expiration: 0 }), now).why).toContain('not to be stored');
    arrive(phone, alert('anot_2', {}, { expiration: now / 1000 + 60 }), now);
    phone.settings.online = true;
    expect(reconnect(phone, now + 61_000)[0]!.outcome.why).toContain('expired while');
    expect(phone.tray).toEqual([]);
  });

  it('gets the newest of each collapse key from FCM, of four keys at most, and all the rest', () => {
    const phone = newPhone('android', { online: false });
    const push = (id: string, key?: string) =>
      data({ id, title: 'a' }, key === undefined ? {} : { collapse_key: key });
    for (const key of ['a', 'b', 'c', 'd', 'b', 'e']) arrive(phone, push(`anot_${key}`, key), now);
    arrive(phone, push('anot_1'), now);
    arrive(phone, push('anot_2'), now);
    phone.settings.online = true;
    reconnect(phone, now);
    expect(ids(phone)).toEqual(['anot_2', 'anot_1', 'anot_e', 'anot_b', 'anot_d', 'anot_c']);
  });

  it('loses all when more than a hundred wait at FCM', () => {
    const phone = newPhone('android', { online: false });
    for (let at = 0; at <= 100; at++) arrive(phone, data({ id: `anot_${at}`, title: 'a' }), now);
    expect(phone.stored).toEqual([]);
  });
});

describe('the prompt of a live activity', () => {
  const prompt = {
    id: 'int_1',
    kind: 'approval',
    actions: [
      { id: 'approved', label: 'Ship' },
      { id: 'denied', label: 'Hold' },
    ],
    actionDigest: 'sha256:a',
  };
  const content = { ...started['content-state'], prompt };

  it('is remembered by what it showed', () => {
    const phone = newPhone();
    arrive(phone, live('start', { ...started, 'content-state': content }), now);
    expect(digestOf(phone, 'int_1')).toBe('sha256:a');
  });

  it('is not remembered when it was not shown', () => {
    const phone = newPhone('ios', { liveActivities: false });
    arrive(phone, live('start', { ...started, 'content-state': content }), now);
    expect(digestOf(phone, 'int_1')).toBeUndefined();
  });

  it('comes by an Android message as well', () => {
    const phone = newPhone('android');
    arrive(
      phone,
      data({
        type: 'activity',
        event: 'start',
        activityId: 'act_1',
        seq: '1',
        contentState: JSON.stringify(content),
      }),
      now,
    );
    expect(digestOf(phone, 'int_1')).toBe('sha256:a');
  });
});

describe('what is kept of activities', () => {
  it('is the newest fifty, the running ones before all, and the tokens of others are dead', () => {
    const phone = newPhone();
    const start = (id: string) => {
      const push = live('start', { ...started, attributes: { activityId: id } });
      return arrive(phone, push, now).started!;
    };
    start('act_running').updateToken = 'ff';
    for (let at = 0; at < 50; at++) {
      const activity = start(`act_${at}`);
      activity.updateToken = `0${at}`;
      activity.state = 'dismissed';
    }
    expect(phone.activities).toHaveLength(50);
    expect(phone.activities.slice(0, 2).map((activity) => activity.activityId)).toEqual([
      'act_running',
      'act_1',
    ]);
    expect(phone.deadTokens).toEqual([{ token: '00', at: now, reason: 'ExpiredToken' }]);
  });

  it('is nothing after a reset, which kills their tokens', () => {
    const phone = newPhone();
    arrive(phone, live('start', started), now).started!.updateToken = 'bb';
    clearPhone(phone, now);
    expect(phone.activities).toEqual([]);
    expect(phone.deadTokens).toEqual([{ token: 'bb', at: now, reason: 'ExpiredToken' }]);
  });
});

describe('a person', () => {
  it('who signs out leaves nothing of the account on the screen', () => {
    const phone = newPhone();
    arrive(phone, alert('int_1', { type: 'prompt', actionDigest: 'sha256:a' }), now);
    arrive(phone, live('start', started), now);
    signOut(phone, now);
    expect(phone.tray).toEqual([]);
    expect(phone.activities).toMatchObject([{ state: 'dismissed', endedBy: 'sign-out' }]);
    expect(digestOf(phone, 'int_1')).toBeUndefined();
  });

  it('who switches live activities off ends them on an iPhone', () => {
    const phone = newPhone();
    arrive(phone, live('start', started), now);
    stopActivities(phone, now);
    expect(phone.activities).toMatchObject([{ state: 'dismissed', endedBy: 'the switch' }]);
  });
});

describe('an uninstalled app', () => {
  it('leaves nothing, and stays so when it is asked twice', () => {
    const phone = newPhone();
    arrive(phone, alert('anot_1'), now);
    arrive(phone, live('start', started), now).started!.updateToken = 'bb';
    uninstall(phone, now);
    uninstall(phone, now + 5);
    expect(phone).toMatchObject({ uninstalledAt: now, tray: [], activities: [] });
    expect(phone.deadTokens).toEqual([{ token: 'bb', at: now }]);
    expect(arrive(phone, alert('anot_2'), now).shown).toBe(false);
  });
});
