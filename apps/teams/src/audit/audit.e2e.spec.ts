import { KeyRing } from '@carillon/signing';
import { Keys, openEventStore } from '@carillon/event-store';
import { type House, type HouseAccount, type HouseAnswer, startHouse } from '@carillon/testkit';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let house: House;
let folder: string;
beforeAll(async () => {
  house = await startHouse({ env: { CARILLON_TRUSTED_PROXIES: '127.0.0.1,::1' } });
  folder = mkdtempSync(join(tmpdir(), 'carillon-audit-'));
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await house?.close();
}, 90_000);

const checkout = join(import.meta.dirname, '../../../..');
const agent = { 'user-agent': 'story/1.0', 'x-forwarded-for': '203.0.113.9' };

async function family(owner: HouseAccount): Promise<string> {
  const made = await owner.api('POST', '/teams', { body: { kind: 'family', name: 'Ours' }, headers: agent });
  return made.body.team.id;
}
const rename = (person: HouseAccount, teamId: string, name: string): Promise<HouseAnswer> =>
  person.api('PATCH', `/teams/${teamId}`, { body: { name }, headers: agent });
const csvOf = (person: HouseAccount, teamId: string, query = ''): Promise<HouseAnswer> =>
  person.api('GET', `/teams/${teamId}/audit?format=csv${query}`, { headers: agent });

/** Runs the verifier with only the file, and optionally the public keys. */
function verified(text: string, ...more: string[]): { status: number | null; said: string } {
  const file = join(folder, 'export');
  writeFileSync(file, text);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(checkout, 'tools/audit.mjs'), 'verify', file, ...more],
    { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } },
  );
  return { status, said: stdout + stderr };
}

async function publicKeys(): Promise<string> {
  const { status, body } = await house.http('GET', '/.well-known/carillon/audit-keys.json', { token: null });
  expect(status).toBe(200);
  const file = join(folder, 'keys.json');
  writeFileSync(file, JSON.stringify(body));
  return `--key=${file}`;
}

describe('the audit log of a family', () => {
  let owner: HouseAccount;
  let teamId: string;
  let csv: string;

  it('lists each action with its actor, token, address and program', async () => {
    owner = await house.anotherAccount('Ann');
    teamId = await family(owner);
    expect((await rename(owner, teamId, '=The, "Smiths"')).status).toBe(200);
    const tokens = await owner.api('GET', '/tokens');
    const { status, body } = await owner.api('GET', `/teams/${teamId}/audit`);
    expect(status).toBe(200);
    expect(body.nextCursor).toBeNull();
    expect(body.entries.map(({ action }: { action: string }) => action)).toEqual([
      'team.updated',
      'member.joined',
      'team.created',
    ]);
    for (const entry of body.entries)
      expect(entry).toMatchObject({
        teamId,
        actorUserId: owner.id,
        actorName: 'Ann',
        actorTokenId: tokens.body.tokens[0].id,
        ip: '203.0.113.9',
        userAgent: 'story/1.0',
      });
    expect(body.entries[0].metadata).toMatchObject({
      before: { name: 'Ours' },
      after: { name: '=The, "Smiths"' },
    });
    const page = JSON.stringify(body);
    expect(verified(page)).toMatchObject({ status: 0, said: expect.stringContaining('CONSISTENT') });
    expect(verified(page, await publicKeys())).toMatchObject({
      status: 3,
      said: expect.stringContaining('NOT COVERED: a signature of the key covers 0 of 3 entries'),
    });
  });

  it('is a file of CSV that begins with its own entry', async () => {
    const answer = await csvOf(owner, teamId);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="audit-${teamId}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
    );
    expect(answer.headers.get('x-audit-truncated')).toBeNull();
    csv = answer.body;
    const lines = csv.split('\r\n');
    expect(lines[0]).toBe(
      'createdAt,action,actorUserId,actorName,actorTokenId,targetType,targetId,ip,userAgent,metadata,id,previousHash,hash',
    );
    expect(lines).toHaveLength(6);
    expect(lines[1]).toMatch(/^[^,]+,audit\.exported,/);
    expect(answer.headers.get('carillon-position')).toMatch(/^\d+$/);
  });

  it('verifies offline, and no longer when one character is changed', async () => {
    const keys = await publicKeys();
    expect(verified(csv, keys)).toMatchObject({
      status: 0,
      said: expect.stringContaining('VERIFIED: 4 entries'),
    });
    const at = csv.indexOf('203.0.113.9', csv.indexOf('team.updated'));
    const changed = `${csv.slice(0, at)}3${csv.slice(at + 1)}`;
    const altered = verified(changed, keys);
    expect(altered).toMatchObject({ status: 1, said: expect.stringContaining('ALTERED: line 3') });
    const without = csv
      .split('\r\n')
      .filter((_, line) => line !== 3)
      .join('\r\n');
    expect(verified(without)).toMatchObject({ status: 1, said: expect.stringContaining('MISSING: line 4') });
    expect(verified('nothing')).toMatchObject({ status: 2 });
  });

  it('is for the owner, not for strangers and not for members', async () => {
    const stranger = await house.anotherAccount();
    expect(await csvOf(stranger, teamId)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const { status } = await stranger.api('GET', `/teams/${teamId}/audit`);
    expect(status).toBe(404);
    expect((await owner.api('GET', `/teams/${teamId}/audit?limit=201`)).status).toBe(400);
    expect(
      (await owner.session('GET', `/teams/${teamId}/audit?action=audit.exported`)).body.entries,
    ).toHaveLength(1);
  });

  it('has the tokens that its members revoke', async () => {
    const made = await owner.session('POST', '/tokens', { body: { name: 'Old', scopes: ['teams:read'] } });
    const tokenId = made.body.token.id;
    expect((await owner.api('DELETE', `/tokens/${tokenId}`, { headers: agent })).status).toBe(200);
    const { body } = await owner.api('GET', `/teams/${teamId}/audit?action=token.revoked`);
    expect(body.entries).toMatchObject([
      { targetType: 'token', targetId: tokenId, userAgent: 'story/1.0', metadata: { userId: owner.id } },
    ]);
  });

  it('verifies when a person was erased, whose text then is nowhere in it', async () => {
    const { keys } = JSON.parse(readFileSync(join(house.dataDir, 'secrets.json'), 'utf8'));
    const store = openEventStore(house.state.eventStoreUrl);
    await Keys.fromRing(KeyRing.parse(keys), store).shred(owner.id);
    await store.close();
    const rebuilt = spawnSync(process.execPath, [join(checkout, 'tools/rebuild.mjs'), 'teams', 'audit'], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '', CARILLON_DATA: house.dataDir },
    });
    expect(rebuilt).toMatchObject({ status: 0, stderr: '' });
    const { body } = await owner.api('GET', `/teams/${teamId}/audit`);
    expect(JSON.stringify(body)).not.toMatch(/"Ann\b|story|203\.0\./);
    expect(verified(JSON.stringify(body), await publicKeys())).toMatchObject({
      status: 3,
      said: expect.stringContaining('was erased'),
    });
  }, 60_000);
});
