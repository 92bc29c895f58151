import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../../dist/apps/operator/src/secrets.js');
const folder = mkdtempSync(join(tmpdir(), 'carillon-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const make = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });
const filesOf = (name: string): string[] =>
  readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, name, file))
    .filter((file) => statSync(file).isFile());
const read = (name: string, file: string): string => readFileSync(join(folder, name, file), 'utf8');

it('secrets makes each secret once, for its user only, and nothing of Apple and Google', () => {
  expect(make(`--out=${join(folder, 'own')}`)).toMatchObject({ status: 0, stderr: '' });
  const files = filesOf('own');
  expect(files.length).toBeGreaterThan(25);
  expect(files.filter((file) => (statSync(file).mode & 0o777) !== 0o600)).toEqual([]);
  const empty = files.filter((file) => statSync(file).size === 0).map((file) => file.split('/').at(-1));
  expect(empty.sort()).toEqual([
    'apns-bundle-id',
    'apns-key',
    'apns-key-id',
    'apns-team-id',
    'fcm-service-account',
    'smtp-url',
  ]);
  expect(read('own', 'database-url')).toContain(`:${read('own', 'postgres-password')}@`);
  const roles = ['push', 'read-models'].map((service) => read('own', `stores/${service}/database-url`));
  expect(roles).toEqual([
    expect.stringMatching(/^postgres:\/\/carillon_push:.{32}@postgres:5432\/carillon$/),
    expect.stringMatching(/^postgres:\/\/carillon_read_models:.{32}@postgres:5432\/carillon$/),
  ]);
  expect(read('own', 'nats-passwords.conf')).toContain(`PUSH_PASSWORD: "${read('own', 'nats-users/push')}"`);

  const before = files.map((file) => readFileSync(file, 'utf8'));
  expect(make(`--out=${join(folder, 'own')}`)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('is there already'),
  });
  expect(filesOf('own').map((file) => readFileSync(file, 'utf8'))).toEqual(before);
});

it('secrets names the stores where they are told to be', () => {
  const store = '--event-store=a.store:2113,b.store:2113?tlsCAFile=/run/ca.crt';
  expect(make(`--out=${join(folder, 'far')}`, '--postgres=pg.far:6432', store)).toMatchObject({ status: 0 });
  expect(read('far', 'database-url')).toMatch(/^postgres:\/\/carillon:.{32}@pg\.far:6432\/carillon$/);
  expect(read('far', 'stores/teams/database-url')).toContain('@pg.far:6432/carillon');
  const rest = '@a.store:2113,b.store:2113?tlsCAFile=/run/ca.crt';
  expect(read('far', 'stores/teams/eventstore-url')).toMatch(/^esdb:\/\/carillon-teams:.{32}@/);
  expect(read('far', 'stores/teams/eventstore-url')).toContain(rest);
  expect(read('far', 'eventstore-operator-url')).toContain(rest);
});

it('secrets makes credentials that a simulator of Apple and Google accepts', () => {
  const out = `--out=${join(folder, 'simulated')}`;
  expect(make(out, '--simulator=simulator')).toMatchObject({ status: 0, stderr: '' });
  expect(read('simulated', 'apns-key')).toBe(read('simulated', 'simulator/apns-key.p8'));
  expect(JSON.parse(read('simulated', 'fcm-service-account'))).toMatchObject({ type: 'service_account' });
});
