import { EventEmitter } from 'node:events';
import { answer, type Answer, Bus, type Context, Handles } from '@carillon/bus';
import {
  Accounts,
  EndedAmong,
  HoldWaitPermits,
  type Interaction,
  InteractionById,
  Interactions,
  SecretHash,
  SecretHashes,
  type TokenIdentity,
} from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { ManualClock } from '@carillon/runtime';
import { hashSecret, newId } from '@carillon/signing';
import { eventually, type StandIns, startNats, startStandIns } from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import type { EdgeRequest } from '../request/row';
import { Tokens } from '../access/tokens';
import { Capacity } from '../rate/capacity';
import { Endings } from './endings';
import { forPrompt } from './wait.controller';
import { Waits } from './waits';

const prompts = new Map<string, Interaction>();
const revoked = new Set<string>();
let identified = 0;
/** How many tokens each question named. */
let asked: number[] = [];
let looks: (string | undefined)[] = [];
const tokenId = newId('tok', Date.now());

/** Stands where interactions and accounts stand, without ever sending a signal. */
@Controller()
class SilentServices {
  @Handles(Interactions.get)
  get({ id }: InteractionById, { after }: Context): Answer<{ interaction: Interaction }> {
    looks.push(after);
    const interaction = prompts.get(id);
    if (!interaction) throw new Refused('interaction.not_found');
    return answer({ interaction });
  }

  @Handles(Interactions.endedAmong)
  endedAmong({ ids }: EndedAmong): Answer<{ ids: string[] }> {
    return answer({ ids: ids.filter((id) => prompts.get(id)?.status !== 'pending') });
  }

  @Handles(Accounts.identifyToken)
  identify({ hash }: SecretHash): Answer<TokenIdentity> {
    identified += 1;
    if (revoked.has(hash) || revoked.has('all')) throw new Refused('token.revoked');
    return answer(identity);
  }

  @Handles(Accounts.validTokens)
  valid({ hashes }: SecretHashes): Answer<{ valid: string[] }> {
    asked.push(hashes.length);
    return answer({ valid: hashes.filter((hash) => !revoked.has(hash) && !revoked.has('all')) });
  }

  @Handles(Accounts.holdWaitPermits)
  hold({ wants }: HoldWaitPermits): Answer<{ held: number[] }> {
    return answer({ held: wants.map(({ wanted, max }) => Math.min(wanted, max)) });
  }
}

const identity: TokenIdentity = {
  tokenId,
  accountId: newId('usr', Date.now()),
  name: 'Agent',
  prefix: 'carillon_pat_xxxx',
  scopes: ['interactions:read'],
  createdAt: '2026-01-01T00:00:00.000Z',
  lastUsedAt: null,
  expiresAt: null,
};

let nats: Awaited<ReturnType<typeof startNats>>;
let service: StandIns;
let bus: Bus;
let clock: ManualClock;
let waits: Waits;
let endings: Endings;

const startServices = async (): Promise<void> => {
  service = await startStandIns(nats.url, SilentServices);
};
beforeAll(async () => {
  process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');
  process.env['CARILLON_PEPPER'] = Buffer.alloc(32, 7).toString('base64');
  process.env['CARILLON_BASE_URL'] = 'https://bells.test';
  nats = await startNats();
  await startServices();
  bus = await Bus.open(nats.url, 'test');
});
beforeEach(async () => {
  looks = [];
  asked = [];
  revoked.clear();
  clock = new ManualClock();
  endings = new Endings(bus);
  waits = new Waits(bus, clock, new Tokens(bus, clock), new Capacity());
  endings.onModuleInit();
  waits.onModuleInit();
  await bus.alive();
});
afterEach(() => {
  expect([waits.size, endings.size]).toEqual([0, 0]);
  waits.onModuleDestroy();
  endings.onModuleDestroy();
});
afterAll(async () => {
  await bus?.close();
  await service?.close();
  await nats?.stop();
});

const pending = (): string => {
  const id = newId('int', Date.now());
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  prompts.set(id, { id, status: 'pending', expiresAt } as Interaction);
  return id;
};
const end = (id: string): void => {
  prompts.set(id, { ...(prompts.get(id) as Interaction), status: 'approved' });
};
/** A request as the access guard lets it in. */
const request = (secret = 'carillon_pat_x', token = identity) => {
  const raw = Object.assign(new EventEmitter(), { destroyed: false });
  const headers: Record<string, string> = {};
  const edge = {
    token,
    row: { method: 'GET', path: '/api/agent/interactions/:id/wait', access: 'token', scopes: [] },
    http: { headers: { authorization: `Bearer ${secret}` }, ip: '127.0.0.1' },
    reply: { raw, header: (name: string, value: string) => (headers[name] = value) },
    requestId: 'request-1',
  } as unknown as EdgeRequest;
  return { edge, raw, headers };
};
const waitAt = (edge: EdgeRequest, id: string, timeoutSeconds = 55, after?: string) =>
  waits.serve(edge, forPrompt({ bus, endings }, edge, { id, timeoutSeconds, after }));
const wait = (id: string, timeoutSeconds?: number, after?: string) =>
  waitAt(request().edge, id, timeoutSeconds, after);
const isWaiting = (count = 1) =>
  eventually(
    () => (waits.size === count && looks.length >= count) || undefined,
    () => 'nobody waits',
  );

describe('a wait', () => {
  it('ends within a second or two though no signal comes', async () => {
    const id = pending();
    const waiting = wait(id);
    await isWaiting();
    end(id);
    expect(await waiting).toMatchObject({ timedOut: false, seen: { status: 'approved' } });
  });

  it('continues while the service restarts', async () => {
    const id = pending();
    const waiting = wait(id);
    await isWaiting();
    await service.close();
    // The wait wakes while the service is down.
    bus.signal('interaction.ended', id, { position: '1' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(waits.size).toBe(1);
    end(id);
    await startServices();
    expect(await waiting).toMatchObject({ timedOut: false });
  });

  it('that finds nobody to ask at its beginning or its end says so', async () => {
    const id = pending();
    const waiting = wait(id).catch((error: unknown) => error);
    await isWaiting();
    await service.close();
    await expect(wait(id)).rejects.toMatchObject({ reason: 'bus.no_responders' });
    await clock.advance(55_000);
    expect(await waiting).toMatchObject({ reason: 'bus.no_responders' });
    await startServices();
  });

  it('must not be older than what its caller has seen, the first time it looks', async () => {
    const id = pending();
    const waiting = wait(id, 20, '42');
    await isWaiting();
    await clock.advance(20_000);
    expect(await waiting).toMatchObject({ timedOut: true });
    expect(looks).toEqual(['42', undefined]);
  });

  it('looks twice in its time when nothing happens, however long that is', async () => {
    const id = pending();
    const waiting = wait(id);
    await isWaiting();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(looks).toHaveLength(1);
    await clock.advance(55_000);
    await waiting;
    expect(looks).toHaveLength(2);
  });

  it('ends when its client leaves', async () => {
    const { edge, raw } = request();
    const waiting = waitAt(edge, pending()).catch((error: unknown) => error);
    await isWaiting();
    raw.emit('close');
    expect(await waiting).toBeInstanceOf(Refused);
    expect(raw.listenerCount('close')).toBe(0);
  });

  it('does not begin for a client that has disconnected before', async () => {
    const { edge, raw } = request();
    raw.destroyed = true;
    await expect(waitAt(edge, pending())).rejects.toBeInstanceOf(Refused);
  });

  it('ends some seconds after its token was revoked though no signal comes', async () => {
    const waiting = wait(pending()).catch((error: unknown) => error);
    await isWaiting();
    revoked.add('all');
    expect(await waiting).toMatchObject({ status: 401, code: 'TOKEN_REVOKED' });
  });

  it('is asked about together with those of all other tokens, and alone only when its token is over', async () => {
    const id = pending();
    const tokens = [1, 2, 3].map((n) => ({ ...identity, tokenId: newId('tok', n) }));
    const all = tokens.map((token, n) =>
      waitAt(request(`carillon_pat_${n}`, token).edge, id).catch((error: unknown) => error),
    );
    await isWaiting(3);
    const before = identified;
    await clock.advance(5_000);
    expect([asked, identified - before]).toEqual([[3], 0]);
    const pepper = Buffer.alloc(32, 7);
    revoked.add(hashSecret(pepper, 'carillon_pat_1'));
    await clock.advance(5_000);
    expect([asked, identified - before]).toEqual([[3, 3], 1]);
    expect(await all[1]).toMatchObject({ status: 401, code: 'TOKEN_REVOKED' });
    end(id);
    for (const n of [0, 2]) expect(await all[n]).toMatchObject({ timedOut: false });
  });

  it('ends at once when the signal comes', async () => {
    const all = [wait(pending()), wait(pending())].map((each) => each.catch((error: unknown) => error));
    await isWaiting(2);
    bus.signal('token.revoked', newId('tok', 0), {});
    revoked.add('all');
    bus.signal('token.revoked', tokenId, {});
    for (const waiting of all) expect(await waiting).toMatchObject({ status: 401, code: 'TOKEN_REVOKED' });
  });

  it('goes on when a signal says of its token what accounts does not', async () => {
    const id = pending();
    const waiting = wait(id);
    await isWaiting();
    const before = identified;
    bus.signal('token.revoked', tokenId, {});
    await eventually(
      () => identified > before || undefined,
      () => 'nobody asked',
    );
    end(id);
    bus.signal('interaction.ended', id, {});
    expect(await waiting).toMatchObject({ timedOut: false });
  });

  it('of a gateway that stops is told to come again, and none begins', async () => {
    const { edge, headers } = request();
    const id = pending();
    const waiting = waitAt(edge, id).catch((error: unknown) => error);
    await isWaiting();
    waits.beforeApplicationShutdown();
    expect(await waiting).toMatchObject({ reason: 'bus.unavailable' });
    expect(headers['connection']).toBe('close');
    await expect(wait(id)).rejects.toMatchObject({ reason: 'bus.unavailable' });
  });

  it('for what is not there is refused, and takes no permit', async () => {
    for (let n = 0; n < 30; n += 1)
      await expect(wait(newId('int', n))).rejects.toMatchObject({ reason: 'interaction.not_found' });
  });
});
