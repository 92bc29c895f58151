import { BadOption, helpText } from './command-line';
import { processes, readOptions } from './options';

const read = (argv: string[], env: Record<string, string> = {}) =>
  readOptions(argv, env, '/home/ann/carillon');

describe('the options of standalone', () => {
  it('have defaults that need no environment', () =>
    expect(read([])).toEqual({
      help: false,
      port: 8080,
      simulatorPort: 8090,
      metricsPort: 0,
      dataFolder: '/home/ann/carillon/.carillon',
      baseUrl: undefined,
      partsOnly: false,
      processes: 1,
      cluster: false,
      replicas: 2,
      links: false,
      newRows: false,
      exitWithParent: false,
      mayInstall: true,
      databaseUrl: undefined,
      natsUrl: undefined,
      eventStoreUrl: undefined,
      realProviders: false,
    }));

  it('come from the environment', () =>
    expect(
      read([], {
        PORT: '0',
        SIMULATOR_PORT: '9000',
        METRICS_PORT: '9464',
        CARILLON_DATA: '/srv/data',
        CARILLON_BASE_URL: 'https://bells.example/',
        CARILLON_INSTALL: 'never',
        NATS_URL: 'nats://there:4222',
      }),
    ).toMatchObject({
      port: 0,
      simulatorPort: 9000,
      metricsPort: 9464,
      dataFolder: '/srv/data',
      baseUrl: 'https://bells.example',
      mayInstall: false,
      natsUrl: 'nats://there:4222',
    }));

  it('on the command line win', () =>
    expect(read(['--port', '81', '--data', '/tmp/x'], { PORT: '80', CARILLON_DATA: '/y' })).toMatchObject({
      port: 81,
      dataFolder: '/tmp/x',
    }));

  it('say how many processes of each service a cluster has', () => {
    expect(read(['--cluster']).replicas).toBe(2);
    expect(read(['--cluster', '--replicas', '3']).replicas).toBe(3);
    for (const text of ['0', '5', 'three', '1.5', ''])
      expect(() => read(['--cluster', `--replicas=${text}`])).toThrow(
        `--replicas must be a number from 1 to 4, not "${text}"`,
      );
    expect(() => read(['--replicas', '3'])).toThrow('--replicas needs --cluster');
    expect(() => read(['--links'])).toThrow('--links needs --cluster');
  });

  it.each([
    [undefined, 16, 1],
    ['1', 16, 1],
    ['2', 1, 2],
    ['auto', 2, 1],
    ['auto', 3, 1],
    ['auto', 4, 2],
  ])('with --processes=%s on %i processors are for %i', (text, cores, count) =>
    expect(processes({ ...(text !== undefined && { processes: text }) }, false, cores)).toBe(count),
  );

  it('refuse processes that cannot be', () => {
    for (const text of ['0', '3', 'two', ''])
      expect(() => read([`--processes=${text}`])).toThrow(`--processes must be 1, 2 or auto, not "${text}"`);
    expect(() => read(['--processes=auto', '--cluster'])).toThrow('--processes does not go with --cluster');
    expect(() => read(['--processes=2'], { CARILLON_CLOCK: 'manual' })).toThrow(
      '--processes does not go with CARILLON_CLOCK=manual',
    );
  });

  it('take an empty variable for none', () =>
    expect(read([], { PORT: '', DATABASE_URL: '' })).toMatchObject({ port: 8080, databaseUrl: undefined }));

  it.each<Record<string, string>>([{ APNS_KEY_FILE: '/key' }, { FCM_SERVICE_ACCOUNT_FILE: '/account' }])(
    'take %j for real push providers',
    (env) => expect(read([], env).realProviders).toBe(true),
  );

  it.each([
    [['--bogus'], {}, /--bogus.*--help/],
    [[], { PORT: 'http' }, /PORT must be a port number, not "http"/],
    [[], { SIMULATOR_PORT: '65536' }, /SIMULATOR_PORT must be a port number/],
    [[], { CARILLON_BASE_URL: 'ftp://x' }, /CARILLON_BASE_URL/],
    [[], { CARILLON_CLOCK: 'manual', NODE_ENV: 'production' }, /refused when NODE_ENV=production/],
  ])('refuse %j with %j', (argv, env, message) => {
    const asked = () => read(argv, env as Record<string, string>);
    expect(asked).toThrow(BadOption);
    expect(asked).toThrow(message);
  });

  it('are all in the help text', () => {
    const help = helpText();
    const variables =
      'PORT SIMULATOR_PORT CARILLON_DATA CARILLON_BASE_URL LOG_LEVEL SIGNUP_MODE TEAMS_MODE CARILLON_INSTALL CARILLON_CLOCK ' +
      'DATABASE_URL NATS_URL EVENTSTORE_URL APNS_ORIGIN APNS_CA_FILE APNS_KEY_FILE APNS_KEY_ID APNS_TEAM_ID ' +
      'APNS_BUNDLE_ID FCM_SERVICE_ACCOUNT_FILE FCM_HOST FCM_PORT FCM_CA_FILE CARILLON_PEPPER CARILLON_KEYS CARILLON_CALLER_KEY CARILLON_AUDIT_KEY ' +
      'NODE_EXTRA_CA_CERTS CARILLON_BOOTSTRAP_SECRET CARILLON_ACCOUNT_PER_MINUTE CARILLON_SERVICE_PER_MINUTE ' +
      'CARILLON_TOKEN_REQUESTS_PER_MINUTE CARILLON_ACCOUNT_REQUESTS_PER_MINUTE CARILLON_AUTH_FAILURES_PER_MINUTE';
    expect(variables.split(' ').filter((name) => !help.includes(name))).toEqual([]);
  });
});
