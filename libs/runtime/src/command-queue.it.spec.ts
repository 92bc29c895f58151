import type { Context } from '@carillon/bus';
import { Database, QueueRunner } from '@carillon/event-store';
import type { EventMetadata } from '@carillon/eventing';
import { eventually, startPostgres } from '@carillon/testkit';
import { ManualClock } from './clock';
import { type Cause, type CommandContext, CommandQueue, type Enqueued } from './command-queue';

interface Ring {
  readonly bell: string;
}

interface Done {
  readonly bell: string;
  readonly metadata: EventMetadata;
  readonly second: EventMetadata;
  readonly context: Context;
}

/** Fails the first time it executes a command for a stuck bell. */
class Rings extends CommandQueue<Ring> {
  readonly name = 'rings';
  protected readonly process = 'tower.rings';
  readonly done: Done[] = [];

  command(sql: Parameters<Rings['enqueue']>[0], ...commands: Enqueued<Ring>[]): Promise<void> {
    return this.enqueue(sql, ...commands);
  }

  protected async execute({ bell: bells }: Ring, as: CommandContext): Promise<void> {
    await this.forEach(bells.split(' '), async (bell) => {
      this.done.push({
        bell,
        metadata: as.metadata('usr_1'),
        second: as.metadata('usr_1', 'second'),
        context: as.context({ withinMs: 1_000 }),
      });
      if (bell === 'stuck' && this.done.length === 1) throw new Error('It is stuck');
    });
  }
}

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let database: Database;
let rings: Rings;
let queueRunner: QueueRunner;
const clock = new ManualClock();
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

beforeAll(async () => {
  postgres = await startPostgres();
  database = await Database.open({ url: postgres.url, schema: 'orders', migrations: [] });
}, 60_000);
afterAll(async () => {
  await database.close();
  await postgres.stop();
});
beforeEach(async () => {
  rings = new Rings(database, clock);
  queueRunner = new QueueRunner(database, clock, [rings], quiet);
  await queueRunner.start();
});
afterEach(() => queueRunner.stop());

const from: Cause = {
  id: '5f0c1f0e-7a39-5c1c-9c56-0d8f3bb3c001',
  metadata: { commandId: 'cmd', correlationId: 'story', accountId: 'usr_2', actor: { accountId: 'usr_2' } },
};
const ordered = (...commands: Enqueued<Ring>[]) =>
  database.transaction((sql) => rings.command(sql, ...commands));

describe('a command', () => {
  it('is executed by its process, with the cause and the correlation id of its event', async () => {
    await ordered({ key: 'ring a', command: { bell: 'a' }, from });
    const [done] = await eventually(
      async () => (rings.done.length > 0 ? rings.done : undefined),
      () => 'nothing rang',
    );
    expect(done).toMatchObject({
      bell: 'a',
      metadata: {
        causationId: from.id,
        correlationId: 'story',
        accountId: 'usr_1',
        actor: { process: 'tower.rings' },
      },
      context: { correlationId: 'story', caller: { accountId: '', process: 'tower.rings' } },
    });
    expect(done!.context.commandId).toBe(done!.metadata.commandId);
  });

  it('waits until its time, if it has one', async () => {
    const at = new Date(clock.ms() + 60_000).toISOString();
    await ordered({ key: 'ring b', command: { bell: 'b' }, from, at });
    await clock.advance(50_000);
    expect(rings.done).toEqual([]);
    await clock.advance(11_000);
    expect(rings.done.map(({ bell }) => bell)).toEqual(['b']);
  });

  it('issues the same command ids when executed again, and other ids than other commands', async () => {
    await ordered({ key: 'ring stuck', command: { bell: 'stuck' }, from });
    const [first, again] = await eventually(
      async () => (rings.done.length > 1 ? rings.done : undefined),
      () => 'it was not tried again',
    );
    expect(again!.metadata).toEqual(first!.metadata);
    expect(again!.second).toEqual(first!.second);
    await ordered({ key: 'ring c', command: { bell: 'c' }, from });
    const other = await eventually(
      async () => rings.done.find(({ bell }) => bell === 'c'),
      () => 'c did not ring',
    );
    const commands = [first!, other].flatMap(({ metadata, second }) => [
      metadata.commandId,
      second.commandId,
    ]);
    expect(new Set(commands).size).toBe(4);
  });

  it('does the work of all its items although one fails, and is then executed again', async () => {
    await ordered({ key: 'ring stuck f', command: { bell: 'stuck f' }, from });
    await eventually(
      async () => rings.done.length >= 4 || undefined,
      () => 'it was not tried again',
    );
    expect(rings.done.map(({ bell }) => bell)).toEqual(['stuck', 'f', 'stuck', 'f']);
  });

  it('is enqueued with many others in one statement', async () => {
    const at = new Date(clock.ms() + 60_000).toISOString();
    await ordered(...['d', 'e'].map((bell) => ({ key: `ring ${bell}`, command: { bell }, from, at })));
    await clock.advance(61_000);
    expect(rings.done.map(({ bell }) => bell).sort()).toEqual(['d', 'e']);
  });
});
