import fc from 'fast-check';
import { checkHeaders, checkPayload, checkTarget, type ApnsRefusal } from './request.js';

const bundleIds = new Set(['dev.carillon.app']);
const good = { 'apns-topic': 'dev.carillon.app', 'apns-push-type': 'alert' };

function judge(headers: Record<string, string>, doubled: string[] = []) {
  const rawHeaders = [...Object.entries(headers).flat(), ...doubled];
  return checkHeaders(headers, rawHeaders, bundleIds);
}
const reason = (answer: object) => (answer as Partial<ApnsRefusal>).reason ?? 'accepted';

describe('the address of a push', () => {
  it.each([
    ['POST', '/3/device/abcd', 'accepted'],
    ['POST', `/3/device/${'ab'.repeat(32)}`, 'accepted'],
    ['POST', `/3/device/${'AB'.repeat(80)}`, 'accepted'],
    ['GET', '/3/device/abcd', 'MethodNotAllowed'],
    ['POST', '/3/device/', 'MissingDeviceToken'],
    ['POST', '/3/device', 'MissingDeviceToken'],
    ['POST', '/', 'BadPath'],
    ['POST', '/2/device/abcd', 'BadPath'],
    ['POST', '/3/device/abcd/more', 'BadPath'],
    ['POST', '/3/device/abc', 'BadDeviceToken'],
    ['POST', '/3/device/xy', 'BadDeviceToken'],
    ['POST', `/3/device/${'ab'.repeat(201)}`, 'BadDeviceToken'],
  ])('%s %s is %s', (method, path, expected) => {
    expect(reason(checkTarget(method, path))).toBe(expected);
  });
});

describe('the headers of a push', () => {
  const live = { 'apns-push-type': 'liveactivity', 'apns-topic': 'dev.carillon.app.push-type.liveactivity' };
  it.each<[string, Record<string, string>, string]>([
    ['nothing special', {}, 'accepted'],
    ['a good id', { 'apns-id': '0b7f9d3e-6f5a-4b62-9e0c-2d2f8f5ef111' }, 'accepted'],
    ['an upper-case id', { 'apns-id': '0B7F9D3E-6F5A-4B62-9E0C-2D2F8F5EF111' }, 'BadMessageId'],
    ['an id that is no UUID', { 'apns-id': 'push-1' }, 'BadMessageId'],
    ['an unknown push type', { 'apns-push-type': 'shout' }, 'InvalidPushType'],
    ['an empty topic', { 'apns-topic': '' }, 'MissingTopic'],
    ['a topic with a space', { 'apns-topic': 'dev carillon' }, 'BadTopic'],
    ['the topic of a stranger', { 'apns-topic': 'com.example.app' }, 'TopicDisallowed'],
    ['a live activity', live, 'accepted'],
    ['a live activity on the plain topic', { 'apns-push-type': 'liveactivity' }, 'BadTopic'],
    ['an alert on the topic of activities', { ...live, 'apns-push-type': 'alert' }, 'BadTopic'],
    ['a call on its topic', { 'apns-push-type': 'voip', 'apns-topic': 'dev.carillon.app.voip' }, 'accepted'],
    ['priority 10', { 'apns-priority': '10' }, 'accepted'],
    ['priority 5', { 'apns-priority': '5' }, 'accepted'],
    ['priority 1', { 'apns-priority': '1' }, 'accepted'],
    ['priority 7', { 'apns-priority': '7' }, 'BadPriority'],
    ['background at 5', { 'apns-push-type': 'background', 'apns-priority': '5' }, 'accepted'],
    ['background at 10', { 'apns-push-type': 'background', 'apns-priority': '10' }, 'BadPriority'],
    ['background at the default', { 'apns-push-type': 'background' }, 'BadPriority'],
    ['a live activity at 1', { ...live, 'apns-priority': '1' }, 'BadPriority'],
    ['expiration 0', { 'apns-expiration': '0' }, 'accepted'],
    ['an expiration in seconds', { 'apns-expiration': '1799999999' }, 'accepted'],
    ['an expiration that is a date', { 'apns-expiration': '2026-01-01' }, 'BadExpirationDate'],
    ['a negative expiration', { 'apns-expiration': '-1' }, 'BadExpirationDate'],
    ['a collapse id of 64 bytes', { 'apns-collapse-id': 'x'.repeat(64) }, 'accepted'],
    ['a collapse id of 65 bytes', { 'apns-collapse-id': 'x'.repeat(65) }, 'BadCollapseId'],
  ])('with %s', (_name, headers, expected) => {
    expect(reason(judge({ ...good, ...headers }))).toBe(expected);
  });

  it('without a topic miss it', () => {
    expect(reason(judge({ 'apns-push-type': 'alert' }))).toBe('MissingTopic');
  });

  it('may leave out the push type: it is an alert then', () => {
    expect(judge({ 'apns-topic': 'dev.carillon.app' })).toMatchObject({ pushType: 'alert', priority: 10 });
  });

  it('may not come twice', () => {
    expect(reason(judge(good, ['apns-topic', 'dev.carillon.app']))).toBe('DuplicateHeaders');
  });

  it('are read into what the phone needs', () => {
    expect(judge({ ...live, 'apns-expiration': '0', 'apns-priority': '5' })).toEqual({
      apnsId: undefined,
      topic: 'dev.carillon.app.push-type.liveactivity',
      bundleId: 'dev.carillon.app',
      pushType: 'liveactivity',
      priority: 5,
      expiration: 0,
      collapseId: undefined,
    });
  });

  it('never make it throw', () => {
    const names = fc.constantFrom(
      'apns-id',
      'apns-topic',
      'apns-push-type',
      'apns-priority',
      'apns-expiration',
      'apns-collapse-id',
    );
    fc.assert(
      fc.property(fc.dictionary(names, fc.string({ maxLength: 80 })), (headers) => {
        const answer = judge({ ...headers });
        return 'reason' in answer ? answer.status === 400 : answer.bundleId === 'dev.carillon.app';
      }),
    );
  });
});

describe('the payload of a push', () => {
  const body = (size: number) => Buffer.from(`{"a":"${'x'.repeat(size - 8)}"}`);
  it.each<[string, Buffer, string, string]>([
    ['nothing', Buffer.alloc(0), 'alert', 'PayloadEmpty'],
    ['4096 bytes', body(4096), 'alert', 'accepted'],
    ['4097 bytes', body(4097), 'alert', 'PayloadTooLarge'],
    ['4097 bytes for an activity', body(4097), 'liveactivity', 'PayloadTooLarge'],
    ['5120 bytes for a call', body(5120), 'voip', 'accepted'],
    ['5121 bytes for a call', body(5121), 'voip', 'PayloadTooLarge'],
    [
      '1400 characters of three bytes',
      Buffer.from(`{"a":"${'€'.repeat(1400)}"}`),
      'alert',
      'PayloadTooLarge',
    ],
    ['no JSON', Buffer.from('{"a"'), 'alert', 'PayloadEmpty'],
    ['a list', Buffer.from('[]'), 'alert', 'PayloadEmpty'],
  ])('of %s', (_name, given, pushType, expected) => {
    expect(reason(checkPayload(given, given.length, pushType))).toBe(expected);
  });
});
