import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { startEmulator, type Emulator } from './emulator';
import { settings } from './settings';
import { all, client, failure, jsonEvent, temporaryFolder, until } from './testbed';

const folder = temporaryFolder();
let emulator: Emulator;
let connection: (user?: string) => string;
const event = () => jsonEvent({ type: 'Happened', data: {} });
const admin = { username: 'admin', password: 'chänge:it' };

beforeAll(async () => {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  });
  const ca = join(folder.path, 'ca.pem');
  writeFileSync(ca, pems.cert);
  emulator = await startEmulator({
    dataDir: join(folder.path, 'data'),
    tls: { cert: pems.cert, key: pems.private },
    users: { [admin.username]: admin.password },
  });
  connection = (user = '') =>
    `esdb://${user}localhost:${emulator.port}?tls=true&tlsCaFile=${encodeURIComponent(ca)}`;
});
afterAll(async () => {
  await emulator?.close();
  folder?.remove();
});

describe('a server with TLS and users', () => {
  it('lets in who says the right password, by connection and by call', async () => {
    const db = client(connection(`${admin.username}:${encodeURIComponent(admin.password)}@`));
    await db.appendToStream('s', event());
    expect(await all(db.readStream('s'))).toHaveLength(1);
    await db.dispose();

    const other = client(connection());
    await other.appendToStream('s', event(), { credentials: admin });
    expect(await all(other.readStream('s', { credentials: admin }))).toHaveLength(2);
    await other.dispose();
  });

  it('denies who says nothing, in every kind of call', async () => {
    const db = client(connection());
    const denied = { type: 'access-denied' };
    expect(await failure(db.appendToStream('s', event()))).toMatchObject(denied);
    expect(await failure(all(db.readStream('s')))).toMatchObject({ ...denied, code: 7 });
    expect(await failure(all(db.readAll()))).toMatchObject(denied);
    expect(await failure(db.deleteStream('s'))).toMatchObject(denied);
    expect(await failure(db.tombstoneStream('s'))).toMatchObject(denied);
    const errors: unknown[] = [];
    db.subscribeToAll().on('error', (error) => errors.push(error));
    await until(() => errors.length > 0);
    expect(errors[0]).toMatchObject(denied);
    await db.dispose();
  });

  it('does not know who says a wrong password or a wrong name', async () => {
    const db = client(connection());
    for (const credentials of [
      { username: 'admin', password: 'wrong' },
      { username: 'nobody', password: admin.password },
    ]) {
      expect(await failure(db.appendToStream('s', event(), { credentials }))).toMatchObject({
        type: 'access-denied',
        code: 16,
      });
      expect(await failure(all(db.readStream('s', { credentials })))).toMatchObject({ code: 16 });
    }
    await db.dispose();
    const wrong = client(connection('admin:wrong@'));
    expect(await failure(wrong.appendToStream('s', event()))).toMatchObject({ code: 16 });
    await wrong.dispose();
  });

  it('is found by discovery before anybody says who they are', async () => {
    const url = connection(`${admin.username}:${encodeURIComponent(admin.password)}@`);
    const db = client(url.replace('esdb:', 'esdb+discover:'));
    expect(await all(db.readAll({ maxCount: 1 }))).toHaveLength(1);
    await db.dispose();
  });

  it('takes several users from its settings, and refuses one without a password', () => {
    process.env['EMULATOR_DATA'] = folder.path;
    process.env['EMULATOR_USERS'] = 'push:a:b,read-models:c';
    expect(settings().users).toEqual({ push: 'a:b', 'read-models': 'c' });
    process.env['EMULATOR_USERS'] = 'push';
    expect(settings).toThrow('--users is name:password');
    delete process.env['EMULATOR_USERS'];
    expect(settings().users).toEqual({});
  });

  it('cannot have users without TLS', async () => {
    await expect(startEmulator({ dataDir: join(folder.path, 'other'), users: { a: 'b' } })).rejects.toThrow(
      /need TLS/,
    );
  });
});
