import fc from 'fast-check';
import { codeOfStatus } from './forced.js';
import { fcmError, googleError } from './error.js';
import { checkMessage, looksLikeToken, storageSeconds } from './message.js';

const token = `${'a'.repeat(22)}:APA91b${'b'.repeat(134)}`;
const verdict = (body: unknown): string => {
  const checked = checkMessage(body);
  if (!('error' in checked)) return 'accepted';
  const { status, reason, body: said } = checked.error;
  const kind = said.error.details?.some((detail) => 'errorCode' in detail) ? 'FCM' : 'malformed';
  return `${status} ${kind} ${reason}`;
};
const rejected = '400 FCM INVALID_ARGUMENT';
const malformed = '400 malformed INVALID_ARGUMENT';

describe('a message to FCM', () => {
  const sized = (bytes: number) => ({ token, data: { k: 'x'.repeat(bytes - 1) } });
  it.each<[string, unknown, string]>([
    ['with data', { message: { token, data: { a: 'b' } } }, 'accepted'],
    ['with a target only', { message: { token } }, 'accepted'],
    ['with a topic', { message: { topic: 'news' } }, 'accepted'],
    ['that is a text', 'hello', malformed],
    ['without message', {}, rejected],
    ['with an unknown field beside message', { message: { token }, extra: 1 }, malformed],
    ['with an unknown field in message', { message: { token, colour: 'red' } }, malformed],
    ['with an unknown field for android', { message: { token, android: { colour: 'red' } } }, malformed],
    ['without a target', { message: { data: { a: 'b' } } }, rejected],
    ['with two targets', { message: { token, topic: 'news' } }, malformed],
    ['with a token that is a number', { message: { token: 5 } }, malformed],
    ['with a number in data', { message: { token, data: { a: 1 } } }, malformed],
    ['with an object in data', { message: { token, data: { a: {} } } }, malformed],
    ['with data that is a list', { message: { token, data: ['a'] } }, malformed],
    ['with the key from', { message: { token, data: { from: 'me' } } }, rejected],
    ['with a key of google', { message: { token, data: { 'google.x': 'y' } } }, rejected],
    ['with a key of gcm', { message: { token, data: { gcm: 'y' } } }, rejected],
    ['with a key that only contains google', { message: { token, data: { my_google: 'y' } } }, 'accepted'],
    ['of 4096 bytes', { message: sized(4096) }, 'accepted'],
    ['of 4097 bytes', { message: sized(4097) }, rejected],
    ['of 1400 characters of three bytes', { message: { token, data: { k: '€'.repeat(1400) } } }, rejected],
    ['of 2049 bytes to a topic', { message: { topic: 'news', data: { k: 'x'.repeat(2048) } } }, rejected],
    ['with a ttl of no time', { message: { token, android: { ttl: '0s' } } }, 'accepted'],
    ['with a ttl of four weeks', { message: { token, android: { ttl: '2419200s' } } }, 'accepted'],
    ['with a ttl of more', { message: { token, android: { ttl: '2419201s' } } }, rejected],
    ['with a negative ttl', { message: { token, android: { ttl: '-1s' } } }, rejected],
    ['with a ttl that is a number', { message: { token, android: { ttl: 60 } } }, malformed],
    ['with high priority', { message: { token, android: { priority: 'high' } } }, 'accepted'],
    ['with a priority of its own', { message: { token, android: { priority: 'urgent' } } }, malformed],
    ['in camel case', { message: { token, android: { collapseKey: 'a' } }, validateOnly: true }, 'accepted'],
  ])('%s', (_name, body, expected) => {
    expect(verdict(body)).toBe(expected);
  });

  it('says which field is wrong', () => {
    const checked = checkMessage({ message: { token, data: { a: 'b', c: 1 } } });
    expect('error' in checked && checked.error.body.error.details).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [
          {
            field: 'message.data[1].value',
            description: "Invalid value at 'message.data[1].value' (TYPE_STRING), 1",
          },
        ],
      },
    ]);
  });

  it('never makes it throw', () => {
    fc.assert(fc.property(fc.anything(), (message) => typeof verdict({ message }) === 'string'));
  });
});

describe('what FCM keeps', () => {
  it('is kept as long as the ttl says, four weeks without one', () => {
    expect(storageSeconds({ token, android: { ttl: '90.5s' } })).toBe(90.5);
    expect(storageSeconds({ token })).toBe(2_419_200);
  });

  it('goes to something that looks like a token', () => {
    expect(looksLikeToken(token)).toBe(true);
    expect(looksLikeToken('abc')).toBe(false);
  });
});

describe('an error of FCM', () => {
  it('has the shape that clients of Google know', () => {
    expect(fcmError('UNREGISTERED', 'Requested entity was not found.').body).toEqual({
      error: {
        code: 404,
        message: 'Requested entity was not found.',
        status: 'NOT_FOUND',
        details: [
          { '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' },
        ],
      },
    });
    expect(fcmError('QUOTA_EXCEEDED', 'slow').body.error.status).toBe('RESOURCE_EXHAUSTED');
    expect(googleError(401, 'who').body.error).toEqual({
      code: 401,
      message: 'who',
      status: 'UNAUTHENTICATED',
    });
    expect([429, 503, 500, 404, 403].map(codeOfStatus)).toEqual([
      'QUOTA_EXCEEDED',
      'UNAVAILABLE',
      'INTERNAL',
      'UNREGISTERED',
      'SENDER_ID_MISMATCH',
    ]);
  });
});
