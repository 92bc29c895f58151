import { type Decider, type EventMetadata, type Recorded, Refused } from '@carillon/eventing';
import { KeyRing, sealWith } from '@carillon/signing';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  type EventStore,
  type NewEvent,
  OutcomeUnknown,
  StoreUnavailable,
  StreamDeleted,
  WrongExpectedRevision,
} from './event-store';
import { inMemoryEventStore } from './in-memory';
import { Keys } from './keys';
import { Log } from './log';

type PageEvent =
  | {
      readonly type: 'PageAsked';
      readonly title: string | null;
      readonly body?: string | null | undefined;
      readonly level: number;
    }
  | { readonly type: 'PageRaised'; readonly by: number };

interface Page {
  readonly level: number;
  readonly title: string | null;
}

const page: Decider<Page, PageEvent> = {
  category: 'page',
  initial: { level: 0, title: null },
  evolve: (state, event) => {
    switch (event.type) {
      case 'PageAsked':
        return { level: event.level, title: event.title };
      case 'PageRaised':
        return { ...state, level: state.level + event.by };
    }
  },
  personal: { PageAsked: ['title', 'body'], PageRaised: [] },
};

const ask = (): PageEvent[] => [{ type: 'PageAsked', title: 'Fire', level: 1 }];
const raise = (): PageEvent[] => [{ type: 'PageRaised', by: 1 }];
const raiseBy = (by: number) => (): PageEvent[] => [{ type: 'PageRaised', by }];
/** Raises up to a level, never above it. */
const raiseTo =
  (level: number) =>
  (state: Page): PageEvent[] =>
    state.level < level ? [{ type: 'PageRaised', by: level - state.level }] : [];

let commands = 0;
const command = (accountId = 'acc_1'): EventMetadata => ({
  commandId: `command ${(commands += 1)}`,
  correlationId: 'r1',
  accountId,
  actor: { accountId },
});

const ring = KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
const another = (store: EventStore): Log => new Log(store, Keys.fromRing(ring, store));

describe('the log', () => {
  let store: EventStore;
  let log: Log;
  beforeEach(() => {
    store = inMemoryEventStore();
    log = another(store);
  });

  describe('a decision', () => {
    it('is appended, and returns its state and position', async () => {
      const asked = await log.transact(page, 'p1', ask, command());
      expect(asked).toMatchObject({ state: { level: 1, title: 'Fire' }, revision: 0n, events: ask() });
      expect(asked.position).toBe((await store.readLast('page-p1'))!.position);
      expect(await log.load(page, 'p1')).toMatchObject({
        state: { level: 1 },
        revision: 0n,
        position: asked.position,
      });
    });

    it('without events returns the position of the newest event', async () => {
      const { position } = await log.transact(page, 'p1', ask, command());
      const again = await log.transact(page, 'p1', raiseTo(1), command());
      expect(again).toMatchObject({ events: [], revision: 0n, position });
      expect(await log.transact(page, 'p2', () => [], command())).toMatchObject({
        revision: -1n,
        position: 0n,
      });
    });

    it('derives the ids of its events from the command and from their content', async () => {
      const same = command();
      const both = () => [...ask(), ...raise()];
      await log.transact(page, 'p1', both, same);
      await another(store).transact(page, 'p1', both, same, { expectNew: true });
      const ids = (await store.read('page-p1')).map(({ id }) => id);
      expect(new Set(ids).size).toBe(2);
      expect(ids).toHaveLength(2);
    });

    it('is refused whole when one of its event types is withheld', async () => {
      const nothing = (): void => {};
      const withheld = new Log(store, log.keys, nothing, nothing, new Set(['PageRaised']));
      const both = () => [...ask(), ...raise()];
      await expect(withheld.transact(page, 'p1', both, command())).rejects.toMatchObject({
        reason: 'event.withheld',
      });
      expect(await store.read('page-p1')).toEqual([]);
      await withheld.transact(page, 'p1', ask, command());
      await log.transact(page, 'p1', raise, command());
      expect(await withheld.load(page, 'p1')).toMatchObject({ state: { level: 2 } });
    });

    it('that refuses appends nothing', async () => {
      const no = (): never => {
        throw new Refused('page.no');
      };
      await expect(log.transact(page, 'p1', no, command())).rejects.toMatchObject({ reason: 'page.no' });
      expect(await store.read('page-p1')).toEqual([]);
    });
  });

  it('reads a stream in parts, whole and in order, as far as somebody asks', async () => {
    await log.transact(
      page,
      'p1',
      () => Array.from({ length: 1_001 }, (_, by): PageEvent => ({ type: 'PageRaised', by })),
      command(),
    );
    const parts: (readonly PageEvent[])[] = [];
    for await (const part of log.parts<PageEvent>('page-p1')) parts.push(part);
    expect(parts.map(({ length }) => length)).toEqual([500, 500, 1]);
    expect(parts.flat()).toEqual(Array.from({ length: 1_001 }, (_, by) => ({ type: 'PageRaised', by })));
    for await (const part of log.parts('page-none')) expect(part).toBeUndefined();
  });

  describe('several at once', () => {
    it('lose no update, in one process', async () => {
      await log.transact(page, 'p1', ask, command());
      await Promise.all(Array.from({ length: 50 }, () => log.transact(page, 'p1', raise, command())));
      expect((await another(store).load(page, 'p1')).state.level).toBe(51);
    });

    it('lose no update in several processes', async () => {
      await log.transact(page, 'p1', ask, command());
      const logs = Array.from({ length: 3 }, () => another(store));
      let done = 0;
      for (let round = 0; round < 20; round += 1) {
        const tries = await Promise.allSettled(logs.map((one) => one.transact(page, 'p1', raise, command())));
        done += tries.filter(({ status }) => status === 'fulfilled').length;
      }
      expect(done).toBe(60);
      expect((await log.load(page, 'p1')).state.level).toBe(61);
    });

    it('are refused after thirty conflicts', async () => {
      await log.transact(page, 'p1', ask, command());
      const faster = async (): Promise<void> =>
        void (await another(store).transact(page, 'p1', raise, command()));
      let tries = 0;
      const slow = new Log(
        beforeEachAppend(store, async () => {
          tries += 1;
          await faster();
        }),
        log.keys,
      );
      await expect(slow.transact(page, 'p1', raise, command())).rejects.toMatchObject({
        reason: 'stream.concurrent_update',
      });
      expect(tries).toBe(30);
      expect((await log.load(page, 'p1')).state.level).toBe(31);
    });

    it('succeed after ten conflicts', async () => {
      await log.transact(page, 'p1', ask, command());
      let lost = 0;
      const slow = new Log(
        beforeEachAppend(store, async () => {
          if (lost === 10) return;
          lost += 1;
          await another(store).transact(page, 'p1', raise, command());
        }),
        log.keys,
      );
      await slow.transact(page, 'p1', raise, command());
      expect((await log.load(page, 'p1')).state.level).toBe(12);
    });

    it('do not wait one after the other for an unreachable store', async () => {
      let attempts = 0;
      const gone = new Log(
        beforeEachAppend(store, async () => {
          attempts += 1;
          throw new StoreUnavailable('gone');
        }),
        log.keys,
      );
      const tries = await Promise.allSettled(
        Array.from({ length: 10 }, () => gone.transact(page, 'p1', raise, command())),
      );
      expect(tries.every((one) => one.status === 'rejected' && one.reason instanceof StoreUnavailable)).toBe(
        true,
      );
      expect(attempts).toBe(1);
    });
  });

  describe('an append whose outcome is unknown', () => {
    const lost = (): Promise<void> => Promise.reject(new OutcomeUnknown('lost'));

    it('fails as unknown for its caller, and as not stored for calls that waited behind it', async () => {
      const gone = new Log(beforeEachAppend(store, lost), log.keys);
      const [first, ...others] = await Promise.allSettled(
        Array.from({ length: 3 }, () => gone.transact(page, 'p1', raise, command())),
      );
      expect(first).toMatchObject({ reason: { reason: 'store.outcome_unknown' } });
      for (const other of others) expect(other).toMatchObject({ reason: { reason: 'store.unavailable' } });
    });

    it('counts as stored for its command', async () => {
      const told: string[] = [];
      const note = ({ commandId }: EventMetadata): void => void told.push(commandId);
      const one = command();
      const gone = new Log(beforeEachAppend(store, lost), log.keys, note);
      await expect(gone.transact(page, 'p1', raise, one)).rejects.toThrow(OutcomeUnknown);
      expect(told).toEqual([one.commandId]);
    });
  });

  describe('an outdated cached state', () => {
    let other: Log;
    beforeEach(async () => {
      await log.transact(page, 'p1', ask, command());
      other = another(store);
      await other.transact(page, 'p1', raiseBy(4), command());
    });

    it('never gives an empty decision', async () => {
      await other.transact(page, 'p1', raiseBy(-4), command());
      await log.load(page, 'p1');
      await other.transact(page, 'p1', raiseBy(-1), command());
      const raised = await log.transact(page, 'p1', raiseTo(1), command());
      expect(raised).toMatchObject({ state: { level: 1 }, revision: 4n });
    });

    it('never refuses', async () => {
      const onlyAtFive = (state: Page): PageEvent[] => {
        if (state.level !== 5) throw new Refused('page.not_at_five');
        return [{ type: 'PageRaised', by: 1 }];
      };
      expect((await log.transact(page, 'p1', onlyAtFive, command())).state.level).toBe(6);
    });

    it('is returned by `known` without reading the log', async () => {
      expect((await log.known(page, 'p1')).level).toBe(1);
      expect((await another(store).known(page, 'p1')).level).toBe(5);
      await log.load(page, 'p1');
      expect((await log.known(page, 'p1')).level).toBe(5);
    });

    it('is refreshed by a decision', async () => {
      expect(await log.transact(page, 'p1', raiseTo(6), command())).toMatchObject({
        state: { level: 6 },
        events: [{ type: 'PageRaised', by: 1 }],
      });
    });

    it('is dropped when the stream was deleted', async () => {
      await store.delete('page-p1');
      expect(await log.load(page, 'p1')).toEqual({
        state: page.initial,
        revision: undefined,
        position: undefined,
      });
      await other.transact(page, 'p1', ask, command());
      expect((await log.load(page, 'p1')).state.level).toBe(1);
    });
  });

  describe('a stream that was deleted for ever', () => {
    /** Asks a page in both processes, and deletes its stream: `log` has its state cached. */
    beforeEach(async () => {
      await log.transact(page, 'p1', ask, command());
      await store.deleteForEver('page-p1', 0n);
    });

    it('has the initial state, and existed', async () => {
      for (const reader of [log, another(store)]) {
        expect(await reader.load(page, 'p1')).toMatchObject({ state: page.initial, isDeleted: true });
        expect(await reader.exists(page, 'p1')).toBe(true);
      }
      expect(await log.exists(page, 'p2')).toBe(false);
    });

    it('is decided on like one that is missing, and takes no event', async () => {
      const whenAsked = ({ title }: Page): PageEvent[] => {
        if (title === null) throw new Refused('page.missing');
        return raise();
      };
      for (const process of [log, another(store)]) {
        await expect(process.transact(page, 'p1', whenAsked, command())).rejects.toThrow('page.missing');
        await expect(process.transact(page, 'p1', ask, command())).rejects.toThrow(StreamDeleted);
        const expectNew = { expectNew: true };
        for (const decide of [ask, whenAsked])
          await expect(process.transact(page, 'p1', decide, command(), expectNew)).rejects.toThrow(
            StreamDeleted,
          );
      }
    });
  });

  describe('an event of a newer version', () => {
    type NewerEvent = PageEvent | { readonly type: 'PageCalmed' };
    const newer: Decider<Page, NewerEvent> = {
      ...page,
      evolve: (state, event) =>
        event.type === 'PageCalmed' ? { ...state, level: 0 } : page.evolve(state, event),
      personal: { ...page.personal, PageCalmed: [] },
    };
    const calm = (): NewerEvent[] => [{ type: 'PageCalmed' }];
    const unknown = { reason: 'event.unknown', details: { category: 'page', type: 'PageCalmed' } };
    let upgraded: Log;
    beforeEach(async () => {
      upgraded = another(store);
      await log.transact(page, 'p1', raiseBy(5), command());
    });
    const stored = async (): Promise<string[]> => (await store.read('page-p1')).map(({ type }) => type);

    it('is decided upon by the newer version alone; the older one appends and caches nothing', async () => {
      await upgraded.transact(newer, 'p1', calm, command());
      const before = await stored();
      for (const old of [log, another(store)])
        for (let time = 0; time < 2; time += 1) {
          await expect(old.load(page, 'p1')).rejects.toMatchObject(unknown);
          await expect(old.transact(page, 'p1', raise, command())).rejects.toMatchObject(unknown);
          await expect(old.transact(page, 'p1', raiseTo(3), command())).rejects.toMatchObject(unknown);
          await expect(old.transact(page, 'p1', ask, command(), { expectNew: true })).rejects.toMatchObject(
            unknown,
          );
        }
      await expect(another(store).known(page, 'p1')).rejects.toMatchObject(unknown);
      expect(await stored()).toEqual(before);
      for (const one of [log, another(store)])
        expect(await one.load(newer, 'p1')).toMatchObject({ state: { level: 0 }, revision: 1n });
      expect(await log.transact(newer, 'p1', raiseTo(3), command())).toMatchObject({
        state: { level: 3 },
        events: [{ by: 3 }],
        revision: 2n,
      });
    });

    it('is refused when it comes between the decision and its append', async () => {
      let isCalm = false;
      const old = another(
        beforeEachAppend(store, async (stream) => {
          if (isCalm || stream !== 'page-p1') return;
          isCalm = true;
          await upgraded.transact(newer, 'p1', calm, command());
        }),
      );
      await old.load(page, 'p1');
      await expect(old.transact(page, 'p1', raise, command())).rejects.toMatchObject(unknown);
      expect(await stored()).toEqual(['PageRaised', 'PageCalmed']);
    });

    it('is not appended by a version that does not know it', async () => {
      const decide = calm as () => PageEvent[];
      await expect(log.transact(page, 'p1', decide, command())).rejects.toMatchObject(unknown);
      expect(await stored()).toEqual(['PageRaised']);
    });

    it('concerns its stream alone', async () => {
      await upgraded.transact(newer, 'p1', calm, command());
      const both = await Promise.allSettled(
        ['p1', 'p2'].map((id) => log.transact(page, id, raise, command())),
      );
      expect(both).toMatchObject([{ reason: unknown }, { value: { state: { level: 1 } } }]);
    });
  });

  describe('a stream that is expected to be new', () => {
    it('is appended without a read', async () => {
      let reads = 0;
      const counted = new Log(
        Object.assign(Object.create(store), {
          read: (stream: string, from?: bigint) => {
            if (stream.startsWith('page-')) reads += 1;
            return store.read(stream, from);
          },
        }) as EventStore,
        log.keys,
      );
      await counted.transact(page, 'p1', ask, command(), { expectNew: true });
      expect(reads).toBe(0);
    });

    it('is read when it exists', async () => {
      await another(store).transact(page, 'p1', ask, command());
      const raised = await log.transact(page, 'p1', raiseTo(3), command(), { expectNew: true });
      expect(raised).toMatchObject({ state: { level: 3 }, revision: 1n, events: [{ by: 2 }] });
    });

    it('keeps the first decision when another replica decides the same command differently', async () => {
      const other = another(store);
      const same = command();
      const askFor =
        (title: string) =>
        ({ level }: Page): PageEvent[] =>
          level > 0 ? [] : [{ type: 'PageAsked', title, level: 1 }];
      await log.transact(page, 'p1', askFor('Fire'), same);
      const second = await other.transact(page, 'p1', askFor('Flood'), same, { expectNew: true });
      expect(second).toMatchObject({ events: [], state: { title: 'Fire' } });
      expect(await store.read('page-p1')).toHaveLength(1);
    });

    it('is appended once when the same command runs twice concurrently', async () => {
      const same = command();
      const results = await Promise.all(
        [log, another(store)].map((one) => one.transact(page, 'p1', ask, same, { expectNew: true })),
      );
      expect(results[0]!.position).toBe(results[1]!.position);
      expect(await store.read('page-p1')).toHaveLength(1);
    });
  });

  describe('personal fields', () => {
    const stored = async (): Promise<string> =>
      JSON.stringify((await store.read('page-p1')).map(({ data }) => data));

    it('leave the process only sealed, and are read unchanged', async () => {
      const withBody: PageEvent[] = [{ type: 'PageAsked', title: 'Fire', body: 'In Köln', level: 1 }];
      await log.transact(page, 'p1', () => withBody, command());
      expect(await stored()).not.toMatch(/Fire|Köln/);
      expect(await stored()).toContain('"level":1');
      const [opened] = await another(store).open(await store.read('page-p1'));
      expect(opened!.event).toEqual({ type: 'PageAsked', title: 'Fire', body: 'In Köln', level: 1 });
    });

    it('read as null once the key is gone', async () => {
      await log.transact(page, 'p1', ask, command());
      await another(store).keys.shred('acc_1');
      const reader = another(store);
      expect(await reader.load(page, 'p1')).toMatchObject({ state: { level: 1, title: null } });
      const [opened] = await reader.open(await store.read('page-p1'));
      expect(opened!.event).toEqual({ type: 'PageAsked', title: null, level: 1 });
    });

    it('of an account whose key is gone are not stored', async () => {
      await log.transact(page, 'p0', ask, command());
      await log.keys.shred('acc_1');
      await another(store).transact(page, 'p1', ask, command());
      expect(await stored()).toBe('[{"title":null,"level":1}]');
      expect(await store.read('account_key-acc_1')).toEqual([]);
      expect((await another(store).load(page, 'p1')).state.title).toBeNull();
    });

    it('cannot be decrypted in another stream', async () => {
      await log.transact(page, 'p1', ask, command());
      const [raw] = await store.read('page-p1');
      const [opened] = await log.open([{ ...raw!, stream: 'page-p2' }]);
      expect(opened).toMatchObject({ unreadable: 'personal', event: { title: null, level: 1 } });
    });

    describe('that can never be decrypted', () => {
      const heard: string[] = [];
      const reader = (ring = anotherRing()): Log =>
        new Log(store, Keys.fromRing(ring, store), undefined, ({ id }) => heard.push(id));
      const anotherRing = (): KeyRing => KeyRing.parse(`k1:${randomBytes(32).toString('base64')}`);
      const titleOf = ({ event }: Recorded): unknown => (event as unknown as { title: unknown }).title;

      it('read as null, in an event that is marked, reported and counted once, and do not block later events', async () => {
        await log.transact(page, 'p1', ask, command());
        await log.transact(page, 'p2', ask, command());
        const [broken] = await store.read('page-p1');
        const [whole] = await store.read('page-p2');
        const { sealed } = broken!.data as { sealed: string };
        heard.length = 0;
        const mine = new Log(store, log.keys, undefined, ({ id }) => heard.push(id));
        for (const text of [sealed.slice(0, -4), 'garbage', sealWith(randomBytes(32), '{}', 'page-p1')]) {
          const raw = { ...broken!, data: { ...(broken!.data as object), sealed: text } };
          const opened = await mine.open([raw, whole!]);
          expect(opened.map(titleOf)).toEqual([null, 'Fire']);
          expect(opened.map(({ unreadable }) => unreadable)).toEqual(['personal', undefined]);
        }
        expect(heard).toEqual([broken!.id]);
        expect(mine.unreadable).toBe(1);
      });

      it('include those of an account whose key the ring does not open; no other key is used for writing', async () => {
        await log.transact(page, 'p1', ask, command());
        const stranger = reader();
        expect((await stranger.load(page, 'p1')).state.title).toBeNull();
        await expect(stranger.transact(page, 'p3', ask, command())).rejects.toThrow('CARILLON_KEYS');
        expect(await store.read('page-p3')).toEqual([]);
        expect(await stranger.keys.openOldest()).toBe(false);
        expect(await log.keys.openOldest()).toBe(true);
      });

      it('are distinguished from a transient error', async () => {
        await log.transact(page, 'p1', ask, command());
        const events = await store.read('page-p1');
        const away = Object.assign(Object.create(store) as EventStore, {
          read: () => Promise.reject(new StoreUnavailable('away')),
        });
        const waiting = new Log(store, Keys.fromRing(anotherRing(), away));
        await expect(waiting.open(events)).rejects.toThrow('away');
      });

      it('are all fields of an event that is no object: the event is ignored', async () => {
        await log.transact(page, 'p1', ask, command());
        const metadata = { ...command(), accountId: 'acc_1', actor: {}, origin: undefined };
        for (const data of ['text', 7, null, ['list']])
          await store.append('page-p1', [{ id: randomUUID(), type: 'PageAsked', data, metadata }], 'any');
        const loaded = await another(store).load(page, 'p1');
        expect(loaded).toMatchObject({ state: { title: 'Fire', level: 1 }, revision: 4n });
        const opened = await log.open(await store.read('page-p1'));
        expect(opened.map(({ unreadable }) => unreadable)).toEqual([undefined, 'all', 'all', 'all', 'all']);
      });
    });

    it('are encrypted with the key of their account', async () => {
      await log.transact(page, 'p1', ask, command('acc_1'));
      await log.transact(page, 'p2', ask, command('acc_2'));
      await log.keys.shred('acc_1');
      const opened = await another(store).open([
        ...(await store.read('page-p1')),
        ...(await store.read('page-p2')),
      ]);
      expect(opened.map(({ event }) => (event as unknown as { title: string | null }).title)).toEqual([
        null,
        'Fire',
      ]);
    });

    it('need an account, and no field may have the name of the sealed field', async () => {
      await expect(log.transact(page, 'p1', ask, command(''))).rejects.toThrow('need an account');
      const odd = { ...page, personal: { PageAsked: [], PageRaised: [] } };
      const taken = [{ type: 'PageAsked', title: '', level: 1, sealed: 'x' } as PageEvent];
      await expect(log.transact(odd, 'p1', () => taken, command())).rejects.toThrow('cannot have a field');
    });
  });

  describe('the origin of a request', () => {
    const origin = { ip: '192.0.2.7', userAgent: 'curl/8' };
    const asked = async (accountId: string, actor: EventMetadata['actor']): Promise<void> => {
      await log.transact(page, 'p1', ask, { ...command(accountId), actor, origin });
    };
    const originOf = async (reader = log): Promise<unknown> =>
      (await reader.open(await store.read('page-p1')))[0]!.metadata.origin;

    it('is stored with its events, sealed', async () => {
      await asked('team_1', { accountId: 'acc_1' });
      expect(JSON.stringify((await store.read('page-p1'))[0]!.metadata)).not.toMatch(/192|curl/);
      expect(await originOf(another(store))).toEqual(origin);
    });

    it('is sealed with the key of the acting account, even for data of another account', async () => {
      await asked('team_1', { accountId: 'acc_1' });
      await log.keys.shred('team_1');
      expect(await originOf()).toEqual(origin);
      await log.keys.shred('acc_1');
      expect(await originOf()).toEqual({ ip: null, userAgent: null });
    });

    it('is sealed with the key of the data’s account when no account acts', async () => {
      await asked('team_1', { process: 'operator' });
      await log.keys.shred('team_1');
      expect(await originOf()).toEqual({ ip: null, userAgent: null });
    });

    it('is not stored for an account whose key is gone', async () => {
      await asked('acc_1', { accountId: 'acc_1' });
      await log.keys.shred('acc_1');
      await log.transact(page, 'p2', ask, { ...command('team_1'), actor: { accountId: 'acc_1' }, origin });
      expect((await store.read('page-p2'))[0]!.metadata.origin).toBeUndefined();
    });

    it('that was altered reads as unknown, and the event stays readable', async () => {
      await asked('acc_1', { accountId: 'acc_1' });
      const [raw] = await store.read('page-p1');
      const [opened] = await log.open([{ ...raw!, metadata: { ...raw!.metadata, origin: 'v1.a.b.c' } }]);
      expect(opened).toMatchObject({
        event: { title: 'Fire' },
        metadata: { origin: { ip: null, userAgent: null } },
      });
      expect(opened!.unreadable).toBeUndefined();
    });
  });

  describe('a new key in the ring', () => {
    const [old, fresh] = ['k1', 'k2'].map((id) => `${id}:${randomBytes(32).toString('base64')}`);
    const logWith = (text: string, of = store): Log => new Log(of, Keys.fromRing(KeyRing.parse(text), of));
    const both = `${fresh},${old}`;
    const titleWith = async (text: string): Promise<unknown> =>
      (await logWith(text).load(page, 'p1')).state.title;
    const keyEvents = () => store.read('account_key-acc_1');

    beforeEach(() => logWith(old!).transact(page, 'p1', ask, command()));

    it('rewraps account keys once, and the older key is no longer needed', async () => {
      expect(await titleWith(fresh!)).toBeNull();
      expect(await logWith(both).keys.rewrap('acc_1')).toBe('rewrapped');
      expect([await titleWith(fresh!), await titleWith(both)]).toEqual(['Fire', 'Fire']);
      expect(await keyEvents()).toHaveLength(1);
      expect(await logWith(both).keys.rewrap('acc_1')).toBe('current');
      expect(await keyEvents()).toHaveLength(1);
      expect(await logWith(fresh!).keys.openOldest()).toBe(true);
    });

    it('is readable in a process that still seals with the older one', async () => {
      const known = logWith(`${old},${fresh}`);
      await logWith(both).keys.rewrap('acc_1');
      expect((await known.load(page, 'p1')).state.title).toBe('Fire');
      await known.transact(page, 'p1', raise, command());
      expect(await known.keys.rewrap('acc_1')).toBe('rewrapped');
      expect(await titleWith(old!)).toBe('Fire');
    });

    it('replaces the older one also when a process died before it truncated the stream', async () => {
      const dying = Object.assign(Object.create(store) as EventStore, {
        truncateBefore: () => Promise.reject(new Error('died')),
      });
      await expect(logWith(both, dying).keys.rewrap('acc_1')).rejects.toThrow('died');
      expect(await keyEvents()).toHaveLength(2);
      expect(await titleWith(both)).toBe('Fire');
      expect(await logWith(both).keys.rewrap('acc_1')).toBe('current');
      expect(await keyEvents()).toHaveLength(1);
      expect(await titleWith(fresh!)).toBe('Fire');
    });

    it('does not restore an account that is deleted meanwhile', async () => {
      const slow = Object.assign(Object.create(store) as EventStore, {
        append: async (...given: Parameters<EventStore['append']>) => {
          await logWith(both).keys.shred('acc_1');
          return store.append(...given);
        },
      });
      expect(await logWith(both, slow).keys.rewrap('acc_1')).toBe('gone');
      expect(await titleWith(both)).toBeNull();
      expect(await logWith(both).keys.rewrap('acc_1')).toBe('gone');
    });

    it('leaves a key that the ring does not open', async () => {
      expect(await logWith(fresh!).keys.rewrap('acc_1')).toBe('broken');
      expect(await titleWith(old!)).toBe('Fire');
    });
  });

  describe('the key of an account', () => {
    it('is removed from the cache by a process that reads that the account was forgotten', async () => {
      await log.transact(page, 'p1', ask, command());
      await another(store).keys.shred('acc_1');
      const [asked] = await store.read('page-p1');
      const told = { ...asked!, type: 'AccountForgotten', data: {} };
      expect((await log.open([asked!]))[0]!.event).toMatchObject({ title: 'Fire' });
      expect((await log.open([told, asked!]))[1]!.event).toMatchObject({ title: null });
    });

    it('is removed together with all cached states, including those being read or written', async () => {
      for (const id of ['p1', 'p2', 'p3']) await log.transact(page, id, ask, command());
      const [asked] = await store.read('page-p1');
      const told = { ...asked!, type: 'AccountForgotten', data: {} };
      const titleOf = async (id: string) => (await log.load(page, id)).state.title;
      for (const id of ['p1', 'p2', 'p3']) expect(await titleOf(id)).toBe('Fire');
      await another(store).transact(page, 'p3', raise, command());
      await another(store).keys.shred('acc_1');
      const underWay = [log.transact(page, 'p2', raise, command()), log.load(page, 'p3')];
      await log.open([told]);
      await Promise.all(underWay);
      for (const id of ['p1', 'p2', 'p3']) {
        expect(await titleOf(id)).toBeNull();
        expect((await log.known(page, id)).title).toBeNull();
      }
    });

    it('is created once by concurrent processes', async () => {
      const logs = Array.from({ length: 8 }, () => another(store));
      await Promise.all(logs.map((one, index) => one.transact(page, `p${index}`, ask, command())));
      expect(await store.read('account_key-acc_1')).toHaveLength(1);
      const reader = another(store);
      for (const index of logs.keys())
        expect((await reader.load(page, `p${index}`)).state.title).toBe('Fire');
    });

    it('is created once in a process', async () => {
      let made = 0;
      const counted = another(
        beforeEachAppend(store, async (stream) => {
          if (stream.startsWith('account_key-')) made += 1;
        }),
      );
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => counted.transact(page, `p${index}`, ask, command())),
      );
      expect(made).toBe(1);
    });
  });
});

/** The same store, with a call just before each append. */
const beforeEachAppend = (store: EventStore, happens: (stream: string) => Promise<void>): EventStore =>
  Object.assign(Object.create(store), {
    append: async (stream: string, events: readonly NewEvent[], expected: bigint | 'no_stream' | 'any') => {
      await happens(stream);
      return store.append(stream, events, expected);
    },
  }) as EventStore;

describe('an append without a state', () => {
  it('fails when the stream is at another revision', async () => {
    const store = inMemoryEventStore();
    const log = another(store);
    await log.appendTo(page, 'p1', ask(), 'no_stream', command());
    await expect(log.appendTo(page, 'p1', ask(), 'no_stream', command())).rejects.toThrow(
      WrongExpectedRevision,
    );
  });
});
