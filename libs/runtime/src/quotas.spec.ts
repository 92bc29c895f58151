import { inMemoryEventStore, Keys, Log } from '@carillon/event-store';
import { maxTrail } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { randomBytes, randomUUID } from 'node:crypto';
import { logger } from './logging';
import { Quotas } from './quotas';

const accountId = 'usr_1';
const at = '2026-11-20T09:00:00.000Z';
const later = '2026-11-20T09:01:00.000Z';
const metadata = () => ({ commandId: randomUUID(), correlationId: 'test', accountId, actor: {} });

/** Replicas that share only the log, and the things that they keep quotas for. */
const replicas = (options: { renews?: boolean; max?: number } = {}) => {
  const store = inMemoryEventStore();
  const keys = Keys.fromRing(KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`), store);
  const there = new Set<string>();
  const start = () =>
    new Quotas(
      new Log(store, keys),
      {
        kind: 'bell',
        max: 10,
        before: () => Promise.resolve([]),
        missing: (ids) => Promise.resolve(ids.filter((id) => !there.has(id))),
        ...options,
      },
      logger('test'),
    );
  const attempt = async (quotas: Quotas, id: string, now = at): Promise<string> => {
    try {
      await quotas.reserve({ accountId, id, at: now }, metadata());
      return 'taken';
    } catch (error) {
      return (error as { reason: string }).reason;
    }
  };
  return { store, there, start, attempt };
};

describe('quota', () => {
  it('grants exactly its maximum to fifty concurrent requests on two replicas', async () => {
    const { start, attempt } = replicas();
    const both = [start(), start()] as const;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        for (;;) {
          const outcome = await attempt(both[n % 2 ? 0 : 1], `bell_${n}`);
          if (outcome !== 'stream.concurrent_update') return outcome;
        }
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === 'resource.limit_reached')).toHaveLength(40);
  });

  it('reuses the slots of things that were never created, and no others', async () => {
    const { start, attempt, there } = replicas();
    const quotas = start();
    for (let n = 0; n < 10; n += 1) await attempt(quotas, `bell_${n}`);
    for (let n = 0; n < 8; n += 1) there.add(`bell_${n}`);
    expect(await attempt(quotas, 'bell_10')).toBe('resource.limit_reached');
    const outcomes = ['bell_10', 'bell_11', 'bell_12'].map((id) => attempt(start(), id, later));
    expect((await Promise.all(outcomes)).filter((outcome) => outcome === 'taken')).toHaveLength(2);
  });

  it('keeps its stream short', async () => {
    const { start, attempt, store } = replicas();
    const quotas = start();
    await attempt(quotas, 'bell_0');
    for (let n = 1; n <= maxTrail; n += 1) {
      await attempt(quotas, `bell_${n}`);
      await quotas.release({ accountId, id: `bell_${n}`, at }, metadata());
    }
    expect((await store.read(`bell_quota-${accountId}`)).length).toBeLessThan(maxTrail + 3);
    // A replica that reads only the truncated stream gets the same result.
    const outcomes: string[] = [];
    for (let n = 0; n < 12; n += 1) outcomes.push(await attempt(start(), `bell_${n}`));
    expect(outcomes.indexOf('resource.limit_reached')).toBe(10);
  });
});

describe('quota of things that may return', () => {
  const asked = { accountId, id: 'bell_1', at };
  const started = () => {
    const { store, start, attempt } = replicas({ renews: true, max: 1 });
    return { store, quotas: start(), other: start(), attempt };
  };

  it('releases the slot once the thing has ended', async () => {
    const { quotas, attempt, store } = started();
    await attempt(quotas, 'bell_1');
    await quotas.releaseIf(() => Promise.resolve(false), asked, metadata());
    expect(await attempt(quotas, 'bell_2')).toBe('resource.limit_reached');
    for (let n = 0; n < 2; n += 1) await quotas.releaseIf(() => Promise.resolve(true), asked, metadata());
    expect((await store.read(`bell_quota-${accountId}`)).map(({ type }) => type)).toEqual([
      'SlotsCounted',
      'SlotReserved',
      'SlotReleased',
    ]);
    expect(await attempt(quotas, 'bell_2')).toBe('taken');
  });

  it('keeps the slot of a thing that returned during the release', async () => {
    const { quotas, other, attempt } = started();
    await attempt(quotas, 'bell_1');
    let isOver = true;
    const cameAgain = async () => {
      if (!isOver) return false;
      // The check finds that the thing has ended; before the release is written, the thing has returned.
      isOver = false;
      await attempt(other, 'bell_1');
      return true;
    };
    await quotas.releaseIf(cameAgain, asked, metadata());
    expect(await attempt(quotas, 'bell_2')).toBe('resource.limit_reached');
  });
});
