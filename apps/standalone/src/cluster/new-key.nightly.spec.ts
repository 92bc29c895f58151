import { openEventStore } from '@carillon/event-store';
import { sealedBy } from '@carillon/signing';
import { eventually, House, type HouseAccount, replaceProcess } from '@carillon/testkit';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** As secrets are mounted: each process reads them when it starts. */
const secrets = mkdtempSync(join(tmpdir(), 'carillon-secrets-'));
const ringFile = join(secrets, 'keys');
writeFileSync(ringFile, `k1:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
let house: House;

beforeAll(async () => {
  house = new House({
    args: ['--cluster'],
    readyWithinMs: 180_000,
    limits: 'off',
    env: { CARILLON_KEYS_FILE: ringFile },
    receivers: true,
  });
  await house.start();
}, 200_000);
afterAll(async () => {
  await house?.close();
  rmSync(secrets, { recursive: true });
}, 90_000);

describe('a new key of the installation', () => {
  /** What the operator does, in words that must be answered. */
  const operator = async (...words: string[]) => {
    const { status, stdout, stderr } = await house.admin(...words);
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };

  /** As a rollout does: one replica of each service, and the next when these are ready. */
  async function restart(replica: 1 | 2): Promise<void> {
    const services = house.services().filter((name) => name !== 'gateway');
    await Promise.all(services.map((name) => replaceProcess(house, `${name}-${replica}`)));
  }

  /** Which key of the ring an account's own is wrapped by. */
  async function keyOf({ id }: HouseAccount): Promise<string | undefined> {
    const store = openEventStore(house.state.eventStoreUrl);
    try {
      const { data } = (await store.read(`account_key-${id}`)).at(-1)!;
      return sealedBy((data as { wrapped: string }).wrapped);
    } finally {
      await store.close();
    }
  }

  it('is known, then used, then alone, while one replica after the other restarts under load', async () => {
    const receiver = await house.receiver();
    const people: { who: HouseAccount; teamId: string }[] = [];
    /** What the team is called stands in the log, and the secret of the webhook in a row: both are sealed. */
    const newcomer = async (): Promise<string | undefined> => {
      const who = await house.anotherAccount();
      const hook = { name: 'Bot', url: receiver.url, isDefault: true };
      expect((await who.api('POST', '/webhooks', { body: hook })).status).toBe(201);
      people.push({ who, teamId: await who.family() });
      return keyOf(who);
    };
    const everybodyIsUnderstood = async (): Promise<void> => {
      for (const { who, teamId } of people) {
        for (let n = 0; n < 2; n += 1)
          expect((await who.api('GET', `/teams/${teamId}`)).body.team.name).toBe('Home');
        const asked = await who.api('POST', '/interactions', {
          body: { kind: 'approval', title: 'Deploy?', prompt: 'Deploy main to production?' },
        });
        const { id, actionDigest } = asked.body.interaction;
        await who.session('POST', `/prompts/${id}/answer`, { body: { answer: 'approved', actionDigest } });
        const [reply] = await receiver.expect(1);
        expect(reply!.text).toContain(id);
        const { body } = await who.api('GET', `/interactions/${id}/wait?timeoutSeconds=1`);
        expect(body.interaction).toMatchObject({ prompt: 'Deploy main to production?', status: 'approved' });
      }
    };
    expect(await newcomer()).toBe('k1');
    await everybodyIsUnderstood();

    const [{ who: first, teamId }] = people as [(typeof people)[0]];
    const odd: unknown[] = [];
    let [served, isOver] = [0, false];
    const asksOn = async (method: string, path: string, body?: object): Promise<void> => {
      for (; !isOver; await pause(250)) {
        const answer = await first.api(method, path, body && { body });
        if (answer.status < 300) served += 1;
        if (![200, 201, 503, 504].includes(answer.status) || answer.body.team?.name === null)
          odd.push(answer);
      }
    };
    const underWay = [
      asksOn('POST', '/notifications', { title: 'On', body: 'and on' }),
      asksOn('GET', `/teams/${teamId}`),
    ];
    const steps = [
      { step: 'add', replica: 1, sealing: ['k1'] },
      { step: 'add', replica: 2, sealing: ['k1'] },
      { step: 'use', replica: 1, sealing: ['k1', 'k2'] },
      { step: 'use', replica: 2, sealing: ['k2'] },
    ] as const;
    for (const { step, replica, sealing } of steps) {
      if (replica === 1) await operator('keys', step, `--file=${ringFile}`);
      const before = served;
      await restart(replica);
      expect(served).toBeGreaterThan(before);
      const seen = new Set<string | undefined>();
      await eventually(
        async () => seen.add(await newcomer()).size >= sealing.length || undefined,
        () => `nobody's key was sealed by other than ${[...seen].join()}`,
      );
      expect([...seen].sort()).toEqual(sealing);
      await everybodyIsUnderstood();
    }
    isOver = true;
    await Promise.all(underWay);
    expect(odd).toEqual([]);

    const { keys } = await operator('keys', 'list');
    expect(keys).toHaveLength(9);
    for (const known of keys) expect(known).toMatchObject({ sealsWith: 'k2', opensWith: ['k2', 'k1'] });
    expect(await operator('keys', 'rotate')).toMatchObject({ ok: true, key: 'k2', broken: 0 });
    for (const { who } of people) expect(await keyOf(who)).toBe('k2');
    await everybodyIsUnderstood();
  }, 300_000);
});
