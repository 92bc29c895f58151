import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, type HouseAccount, startHouse } from '@carillon/testkit';

const folder = mkdtempSync(join(tmpdir(), 'carillon-probe-'));
let house: House;
let ann: HouseAccount;
beforeAll(async () => {
  house = await startHouse();
  ann = await house.anotherAccount();
}, 120_000);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await house?.close();
}, 90_000);

/** The probe as the chart runs it: its exit code and what it says. */
function probe(token: string, env: Record<string, string> = {}): Promise<{ code: unknown; said: string }> {
  const file = join(folder, 'token');
  writeFileSync(file, `${token}\n`);
  const settings = { CARILLON_URL: house.state.baseUrl, CARILLON_TOKEN_FILE: file, ...env };
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [join(import.meta.dirname, 'probe.mjs')],
      { env: settings },
      (error, out, err) => resolve({ code: error?.code ?? 0, said: out + err }),
    ),
  );
}
const tokenWith = async (...scopes: string[]): Promise<string> =>
  (await ann.session('POST', '/tokens', { body: { name: 'probe', scopes } })).body.secret;

describe('the probe', () => {
  it('ends well when what it sends is in the inbox', async () => {
    const { code, said } = await probe(await tokenWith('notifications:send', 'inbox:read'));
    expect([code, said]).toEqual([0, expect.stringMatching(/^Sent in \d+ ms, read after \d+ ms\.\n$/)]);
    const inbox = await ann.api('GET', '/inbox/notifications');
    expect(inbox.body.items.map(({ title }: { title: string }) => title)).toEqual(['Probe']);
  }, 60_000);

  it('fails, and says how it was answered, when it may not send, and when it may not read', async () => {
    const unsent = await probe(await tokenWith('inbox:read'));
    expect([unsent.code, unsent.said]).toEqual([1, expect.stringContaining('the send was answered 403')]);
    const unread = await probe(await tokenWith('notifications:send'), { CARILLON_PROBE_SECONDS: '4' });
    expect([unread.code, unread.said]).toEqual([1, expect.stringContaining('the last answer was 403')]);
  }, 60_000);

  it('fails when nobody answers', async () => {
    const { code, said } = await probe('carillon_pat_none', { CARILLON_URL: 'http://127.0.0.1:9' });
    expect([code, said]).toEqual([1, expect.stringContaining('The probe failed after')]);
  }, 60_000);
});
