import { BadNatsSetting, natsOptions } from './connection';

const names = ['URL', 'USER', 'PASSWORD', 'TOKEN', 'CREDS', 'CA', 'CERT', 'KEY'].map(
  (name) => `NATS_${name}`,
);
let before: NodeJS.ProcessEnv;

beforeEach(() => {
  before = { ...process.env };
  for (const name of names) delete process.env[name];
});
afterEach(() => {
  process.env = before;
});

const options = (url?: string, env: Record<string, string> = {}) => {
  Object.assign(process.env, env);
  return natsOptions('test', url);
};

describe('a connection to NATS', () => {
  it.each([
    ['nats://there', ['there:4222']],
    ['nats://there:80/', ['there:80']],
    ['10.0.0.1:4333', ['10.0.0.1:4333']],
    ['nats://[::1]:4222', ['[::1]:4222']],
    ['nats://a:1, nats://b:2,c:3', ['a:1', 'b:2', 'c:3']],
  ])('to %s tries %j', (url, servers) => {
    expect(options(url)).toMatchObject({ servers, name: 'test' });
    expect(options(url)).not.toHaveProperty('tls');
  });

  it('uses NATS_URL by default', () =>
    expect(options(undefined, { NATS_URL: 'nats://there:1' }).servers).toEqual(['there:1']));

  it('takes credentials from the URL, with any character in the password', () =>
    expect(options('nats://ann:p%40ss%3A123@there:4222,nats://b:1')).toMatchObject({
      servers: ['there:4222', 'b:1'],
      user: 'ann',
      pass: 'p@ss:123',
    }));

  it('has an inbox prefix of its user, if the name is valid in a subject', () => {
    expect(options('nats://read-models:x@there')).toMatchObject({ inboxPrefix: '_INBOX.read-models' });
    expect(options('nats://a.b:x@there')).not.toHaveProperty('inboxPrefix');
    expect(options('nats://there')).not.toHaveProperty('inboxPrefix');
  });

  it('treats a name without a password as a token', () =>
    expect(options('nats://s3cret@there')).toMatchObject({ token: 's3cret' }));

  it('takes credentials from the settings when the URL has none', () => {
    const env = { NATS_USER: 'ann', NATS_PASSWORD: 'secret' };
    expect(options('nats://there', env)).toMatchObject({ user: 'ann', pass: 'secret' });
    expect(options('nats://bob:other@there', env)).toMatchObject({ user: 'bob', pass: 'other' });
  });

  it('accepts a credentials file', () =>
    expect(options('nats://there', { NATS_CREDS: 'what stands in it' }).authenticator).toBeInstanceOf(
      Function,
    ));

  it('requires TLS for a tls URL or a certificate', () => {
    expect(options('tls://there')).toMatchObject({ tls: {} });
    expect(options('nats://there', { NATS_CA: 'an authority' })).toMatchObject({
      tls: { ca: 'an authority' },
    });
    expect(options('nats://there', { NATS_CERT: 'c', NATS_KEY: 'k' })).toMatchObject({
      tls: { cert: 'c', key: 'k' },
    });
  });

  it.each([
    ['', {}],
    ['http://there', {}],
    ['nats://ann:secret@:4222', {}],
    ['nats://there', { NATS_CERT: 'c' }],
  ])('refuses "%s" with %j, and shows no password', (url, env) => {
    const asked = () => options(url, env as Record<string, string>);
    expect(asked).toThrow(BadNatsSetting);
    expect(asked).not.toThrow(/secret/);
  });
});
