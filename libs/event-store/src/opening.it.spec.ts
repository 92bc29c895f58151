import { KeyRing } from '@carillon/signing';
import { makeAuthority, startEmulatorProcess } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openEventStore } from './event-store-db';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { StoreUnfit, usable } from './opening';

const ring = (): KeyRing => KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);

/** The result of `usable` for the store of a URL. */
async function said(url: string): Promise<string> {
  const store = openEventStore(url, { patienceSeconds: 2 });
  try {
    await usable(store, Keys.fromRing(ring(), store), { signal: AbortSignal.timeout(15_000) });
    return 'usable';
  } catch (error) {
    return error instanceof StoreUnfit ? error.message : `something else: ${String(error)}`;
  } finally {
    await store.close();
  }
}

describe('a configured store', () => {
  let authority: Awaited<ReturnType<typeof makeAuthority>>;
  let emulator: Awaited<ReturnType<typeof startEmulatorProcess>>;
  let options: string;
  beforeAll(async () => {
    authority = await makeAuthority();
    const folder = dirname(authority.caFile);
    const [cert, key] = [join(folder, 'store.pem'), join(folder, 'store.key')];
    writeFileSync(cert, authority.server.cert);
    writeFileSync(key, authority.server.key);
    emulator = await startEmulatorProcess({
      args: ['--tls-cert', cert, '--tls-key', key, '--username', 'carillon', '--password', 'right'],
    });
    options = `tls=true&tlsCAFile=${authority.caFile}`;
  }, 60_000);
  afterAll(async () => {
    await emulator?.stop();
    authority?.remove();
  });

  const at = (user: string, query: string): string => `esdb://${user}localhost:${emulator.port}?${query}`;

  it('is usable with correct settings', async () => {
    expect(await said(at('carillon:right@', options))).toBe('usable');
  });

  it('is unfit with a wrong password', async () => {
    expect(await said(at('carillon:wrong@', options))).toMatch(/does not know this user with this password/);
  });

  it('is unfit for a user who may not read its log', async () => {
    expect(await said(at('', options))).toMatch(/must name a user who may read \$all/);
  });

  it('is unfit when its certificate is not trusted', async () => {
    expect(await said(at('carillon:right@', 'tls=true'))).toMatch(/tlsCAFile/);
  });

  it('is usable by its IP address, unless this version of Node connects over TLS to names only', async () => {
    const url = at('carillon:right@', options).replace('localhost', '127.0.0.1');
    expect(await said(url)).toMatch(
      Number(process.versions.node.split('.')[0]) < 26 ? /^usable$/ : /not its address/,
    );
  });

  it('is unfit when it does not speak TLS', async () => {
    const plain = await startEmulatorProcess();
    try {
      expect(await said(`esdb://localhost:${plain.port}?tls=true`)).toMatch(/tls=false/);
    } finally {
      await plain.stop();
    }
  });

  it('is unfit when it holds the events of another installation', async () => {
    const store = inMemoryEventStore();
    await Keys.fromRing(ring(), store).toSeal('usr_1');
    await expect(usable(store, Keys.fromRing(ring(), store))).rejects.toThrow(
      /CARILLON_KEYS.*EVENTSTORE_URL/,
    );
  });

  it('is waited for while it is not ready', async () => {
    const first = await startEmulatorProcess();
    await first.kill('SIGTERM');
    const store = openEventStore(`esdb://127.0.0.1:${first.port}?tls=false`, { patienceSeconds: 2 });
    const told: string[] = [];
    const waiting = usable(store, Keys.fromRing(ring(), store), { waiting: (why) => told.push(why) });
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const again = await startEmulatorProcess({ port: first.port, dataDir: first.dataDir });
    await waiting;
    await store.close();
    await again.stop();
    expect(told[0]).toMatch(/does not answer yet/);
  });
});
