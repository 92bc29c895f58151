import { newSettings, type Phone } from '../phone/phone.js';
import type { TokenOwner } from '../phone/phones.js';
import { judge, type ApnsRequest } from './judge.js';

const topic = 'dev.carillon.app';
const listener = { environment: 'sandbox' as const, bundleIds: new Set([topic, 'dev.carillon.other']) };
const phone: Phone = {
  id: 'phone_1',
  name: 'Ada',
  platform: 'ios',
  environment: 'sandbox',
  bundleId: topic,
  installId: 'install',
  createdAt: '',
  pushToken: 'aa',
  deadTokens: [],
  settings: newSettings,
  tray: [],
  activities: [],
  stored: [],
  digests: [],
  spent: { high: [], starts: [], messages: [] },
};
const owner: TokenOwner = { phone, kind: 'alert' };
const asked = (wanted: Partial<ApnsRequest> = {}): ApnsRequest => ({
  headers: { 'apns-topic': topic },
  rawHeaders: [],
  untargeted: undefined,
  unauthorized: undefined,
  payload: { payload: { aps: {} } },
  owner,
  ...wanted,
});
const live = { 'apns-topic': `${topic}.push-type.liveactivity`, 'apns-push-type': 'liveactivity' };

it('takes a push for a token that lives, and says whose it is', () => {
  expect(judge(asked(), listener)).toMatchObject({ headers: { topic }, payload: { aps: {} }, owner });
});

it.each<[string, Partial<ApnsRequest>, object]>([
  ['nobody', { owner: undefined }, { status: 400, reason: 'BadDeviceToken' }],
  [
    'a phone of the other environment',
    { owner: { ...owner, phone: { ...phone, environment: 'production' } } },
    { status: 400, reason: 'BadDeviceToken' },
  ],
  [
    'an Android phone',
    { owner: { ...owner, phone: { ...phone, platform: 'android' } } },
    { status: 400, reason: 'BadDeviceToken' },
  ],
  [
    'another app',
    { headers: { 'apns-topic': 'dev.carillon.other' } },
    { status: 400, reason: 'DeviceTokenNotForTopic' },
  ],
  [
    'an app that is gone',
    { owner: { ...owner, deadSince: 7 } },
    { status: 410, reason: 'Unregistered', timestamp: 7 },
  ],
  [
    'a token that was replaced',
    { owner: { ...owner, deadSince: 7, deadReason: 'ExpiredToken' } },
    { status: 410, reason: 'ExpiredToken', timestamp: 7 },
  ],
  ['a device, on the topic of activities', { headers: live }, { reason: 'DeviceTokenNotForTopic' }],
  [
    'an activity, on the topic of alerts',
    { owner: { phone, kind: 'update', activityId: 'act_1' } },
    { reason: 'DeviceTokenNotForTopic' },
  ],
])('refuses a token of %s', (_whose, wanted, refusal) => {
  expect(judge(asked(wanted), listener)).toMatchObject(refusal);
});

it('looks at the path before the sender, and at the sender before the push', () => {
  const untargeted = { status: 404, reason: 'BadPath' };
  const unauthorized = { status: 403, reason: 'MissingProviderToken' };
  expect(judge(asked({ untargeted, unauthorized }), listener)).toBe(untargeted);
  expect(judge(asked({ unauthorized, headers: {} }), listener)).toBe(unauthorized);
});
