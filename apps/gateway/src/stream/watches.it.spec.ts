import { answer, type Answer, Bus, Handles } from '@carillon/bus';
import { AccountChanges, type Newest, NewestOf } from '@carillon/contracts';
import { newId } from '@carillon/signing';
import { eventually, type StandIns, startNats, startStandIns } from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { Watches } from './watches';

let asked: (readonly string[])[] = [];
const newest = new Map<string, string>();

/** Stands where read-models stands, without ever sending a signal. */
@Controller()
class SilentChanges {
  @Handles(AccountChanges.newest)
  newest({ accountIds }: NewestOf): Answer<{ newest: Newest[] }> {
    asked.push(accountIds);
    return answer({
      newest: accountIds.flatMap((accountId) => {
        const position = newest.get(accountId);
        return position === undefined ? [] : [{ accountId, position }];
      }),
    });
  }
}

let nats: Awaited<ReturnType<typeof startNats>>;
let service: StandIns;
let bus: Bus;
let watches: Watches;
const never = new AbortController().signal;
const account = () => newId('usr', 0);
/** Longer than a test may take: a watch that ends sooner was woken. */
const tooLongMs = 120_000;

beforeAll(async () => {
  process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');
  nats = await startNats();
  service = await startStandIns(nats.url, SilentChanges);
  bus = await Bus.open(nats.url, 'test');
});
beforeEach(() => {
  asked = [];
  watches = new Watches(bus);
});
afterEach(() => watches.onModuleDestroy());
afterAll(async () => {
  await bus?.close();
  await service?.close();
  await nats?.stop();
});

describe('watching an account', () => {
  it('is woken at once by a signal', async () => {
    const id = account();
    const watch = watches.open(id);
    await bus.alive();
    // The service that is polled knows of no change: only the signal reports it.
    const waiting = watch.changed('41', tooLongMs, never);
    bus.signal('account.changed', id, { position: '42' });
    await waiting;
    // What came before it asked counts as well.
    await watch.changed('41', tooLongMs, never);
    watch.close();
  });

  it('is woken within a second or two when the signal is lost', async () => {
    const id = account();
    newest.set(id, '42');
    const watch = watches.open(id);
    await watch.changed('41', tooLongMs, never);
    watch.close();
  });

  it('sleeps through what it has seen already', async () => {
    const id = account();
    newest.set(id, '42');
    const watch = watches.open(id);
    const from = performance.now();
    const waiting = watch.changed('42', 1_500, never);
    bus.signal('account.changed', id, { position: '42' });
    await waiting;
    expect(performance.now() - from).toBeGreaterThanOrEqual(1_490);
    watch.close();
  });

  it('costs one poll a second for any number of watches, and none without watches', async () => {
    const ids = Array.from({ length: 501 }, account);
    const open = [...ids, ...ids].map((id) => watches.open(id));
    expect(watches.size).toBe(501);
    await eventually(
      () => asked.length >= 2 || undefined,
      () => 'nobody was asked',
    );
    expect(asked.slice(0, 2).map((batch) => batch.length)).toEqual([500, 1]);
    for (const watch of [...open, ...open]) watch.close();
    expect(watches.size).toBe(0);
    await bus.alive();
    const before = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(asked).toHaveLength(before);
  });

  it('ends at once when its stream does', async () => {
    const over = new AbortController();
    const watch = watches.open(account());
    const waiting = watch.changed('41', tooLongMs, over.signal);
    over.abort();
    await waiting;
    watch.close();
  });
});
