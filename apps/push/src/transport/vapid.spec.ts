import { webPushSubject } from './vapid';

describe('the subject of Web Push', () => {
  it.each(['mailto:ops@example.com', 'https://example.com/contact', 'https://localhost.example.com/'])(
    '%s is told to push services',
    (subject) => expect(webPushSubject(subject)).toEqual({ subject }),
  );

  it('that is not set turns Web Push off', () =>
    expect(webPushSubject('')).toEqual({ subject: null, reason: 'subject_missing' }));

  it.each([
    'mailto:me@localhost',
    'mailto:me@mail.LOCALHOST',
    'https://localhost:8443/',
    'https://app.localhost/',
    'https://127.0.0.1/',
    'https://[::1]/',
  ])('%s turns it off: Apple refuses it', (subject) =>
    expect(webPushSubject(subject)).toEqual({ subject: null, reason: 'subject_local' }),
  );

  it.each(['ops@example.com', 'http://example.com/', 'mailto:', 'tel:+1234'])(
    '%s stops the start',
    (subject) => expect(() => webPushSubject(subject)).toThrow('CARILLON_WEB_PUSH_SUBJECT'),
  );
});
