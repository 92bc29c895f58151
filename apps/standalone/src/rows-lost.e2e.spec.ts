import { type House, type HouseAccount, startHouse } from '@carillon/testkit';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
}, 120_000);
afterAll(() => house?.close(), 120_000);

/** The files of the database, wherever its user could reach them. */
function databaseFolder(): string {
  const note = join(house.dataDir, 'postgres-folder.json');
  if (!existsSync(note)) return join(house.dataDir, 'postgres');
  return (JSON.parse(readFileSync(note, 'utf8')) as { folder: string }).folder;
}

const ok = async (answering: ReturnType<House['http']>): Promise<any> => {
  const { status, body } = await answering;
  if (status < 200 || status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
};

describe('the database is lost and the log is kept', () => {
  it('said that everything is ready, then gave up with 401: rows are rebuilt, and all is as before', async () => {
    const { ios, android } = house.phones;
    const agent: HouseAccount = await house.anotherAccount('Busy');
    // More than the rows take at once: those that come last are not there with the first.
    let sent = 0;
    const send = async (): Promise<void> => {
      while ((sent += 1) <= 600) {
        const body = { title: `number ${sent}`, body: 'x', projectId: `p${sent % 7}` };
        await ok(agent.api('POST', '/notifications', { body }));
      }
    };
    await Promise.all(Array.from({ length: 32 }, send));
    await ok(house.api('POST', '/notifications', { body: { title: 'Told', body: 'once' } }));
    const { interaction } = await ok(
      house.api('POST', '/interactions', {
        body: { kind: 'approval', title: 'Deploy?', prompt: 'Deploy main?', expiresInSeconds: 86_400 },
      }),
    );
    const { webhookUrl } = await ok(house.api('POST', '/services', { body: { title: 'Builds' } }));
    const revoked = await ok(
      house.session('POST', '/tokens', { body: { name: 'gone', scopes: ['inbox:read'] } }),
    );
    await ok(house.session('DELETE', `/tokens/${revoked.token.id}`));
    for (const phone of [ios, android]) await house.expectPushes(phone, 2);

    const paths = [
      '/auth/status',
      '/devices',
      '/services',
      '/inbox/notifications?limit=100',
      '/inbox/projects',
      '/activity-feed',
      `/interactions/${interaction.id}`,
      '/inbox/unread-count',
    ];
    const answers = async (): Promise<unknown[]> => {
      const all = [];
      for (const who of [house.owner, agent])
        for (const path of paths) {
          const { status, body } = await who.api('GET', path);
          // When a token or device was seen last may have moved on, and devices are in the order of that.
          body?.devices?.sort((one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id));
          const text = JSON.stringify(body ?? null).replaceAll(
            /"(lastUsedAt|lastSeenAt)":("[^"]*"|null)/g,
            '',
          );
          all.push([path, status, text]);
        }
      return all;
    };
    const before = await answers();
    await house.stop();
    rmSync(databaseFolder(), { recursive: true, force: true });
    await house.start();

    expect(await answers()).toEqual(before);
    expect((await house.http('GET', '/api/agent/auth/status', { token: revoked.secret })).body).toMatchObject(
      {
        code: 'TOKEN_REVOKED',
      },
    );
    // What was told to a phone before is told to none again; what comes now is.
    expect((await house.received(ios)).concat(await house.received(android))).toEqual([]);
    const again = await ok(
      house.http('POST', new URL(webhookUrl).pathname, { body: { title: 'Built', body: 'main' } }),
    );
    expect(again).toMatchObject({ accepted: 2 });
    for (const phone of [ios, android]) await house.expectPushes(phone, 1);
  }, 240_000);
});
