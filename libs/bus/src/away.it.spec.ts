import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers, Nothing } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { eventually, type NatsCluster, startNatsCluster } from '@carillon/testkit';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import {
  answer,
  type Answer,
  Bus,
  type Context,
  Handles,
  natsOptions,
  tellWhenBack,
  timedOut,
} from './index';

process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');

/** From the return of a server to the end of what waited for it. */
const settledWithinMs = 6_000;

const always = answers<{ begun: number }>()('away.always.do', Nothing, [], 'always');
const withKey = answers<{ begun: number }>()('away.with-key.do', Nothing, [], 'with_key');
const never = answers<{ begun: number }>()('away.never.do', Nothing);

let begun: { commandId: string; again: boolean }[] = [];
let held: Promise<void> = Promise.resolve();

async function work({ commandId, again }: Context): Promise<Answer<{ begun: number }>> {
  begun.push({ commandId, again: again === true });
  await held;
  return answer({ begun: begun.length });
}

@Controller()
class AwayHandlers {
  @Handles(always)
  always(_: Nothing, context: Context): Promise<Answer<{ begun: number }>> {
    return work(context);
  }

  @Handles(withKey)
  withKey(_: Nothing, context: Context): Promise<Answer<{ begun: number }>> {
    return work(context);
  }

  @Handles(never)
  never(_: Nothing, context: Context): Promise<Answer<{ begun: number }>> {
    return work(context);
  }
}

@Module({ controllers: [AwayHandlers] })
class AwayModule {}

async function serve(url: string): Promise<INestMicroservice> {
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(AwayModule, {
    transport: Transport.NATS,
    options: { ...natsOptions('away', url), queue: 'away' },
    logger: false,
  });
  await app.listen();
  const connection = app.unwrap<NatsConnection>();
  await connection.flush();
  void tellWhenBack(connection, 'away');
  return app;
}

const context = (more: Partial<Context> = {}): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId: 'usr_1' },
  deadline: Date.now() + 20_000,
  ...more,
});
const reasonOf = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'answered',
    (error: unknown) => (error instanceof Refused ? error.reason : String(error)),
  );
/** Holds every answer back until it is called. */
const hold = (): (() => void) => {
  let release = (): void => {};
  held = new Promise((resolve) => (release = resolve));
  return release;
};
const underWay = (count = 1): Promise<unknown> =>
  eventually(
    () => begun.length >= count || undefined,
    () => 'nothing was begun',
  );

let cluster: NatsCluster;
let service: INestMicroservice;
let bus: Bus;
const open = async (size: number): Promise<void> => {
  cluster = await startNatsCluster(size);
  service = await serve(cluster.url);
  bus = await Bus.open(cluster.url, 'test');
};
const close = async (): Promise<void> => {
  await bus.close();
  await service.close();
  await cluster.stop();
};
beforeEach(() => {
  begun = [];
  held = Promise.resolve();
});

describe('a bus whose only server was away', () => {
  beforeAll(() => open(1), 30_000);
  afterAll(close);

  /** The server ends and comes back, and something happens in between; gives the time since its return. */
  const away = async (meanwhile: () => unknown = () => {}): Promise<() => number> => {
    await cluster.kill(0);
    await sleep(700);
    await meanwhile();
    await cluster.start(0);
    const back = performance.now();
    return () => performance.now() - back;
  };

  it('asks again at once what may be repeated, when its answer was lost', async () => {
    const release = hold();
    const { commandId, deadline } = context();
    const asking = bus.ask(always, {}, context({ commandId, deadline }));
    await underWay();
    const since = await away(release);
    await asking;
    expect(since()).toBeLessThan(settledWithinMs);
    expect(begun).toEqual([
      { commandId, again: false },
      { commandId, again: true },
    ]);
  });

  it('told that nothing happened when it was asked again in vain, and the first time had been begun', async () => {
    const release = hold();
    const asking = reasonOf(bus.ask(always, {}, context()));
    await underWay();
    // Who was asked does not come back with the server.
    await away(() => service.unwrap<NatsConnection>().close());
    expect(await asking).toBe(timedOut);
    release();
    service = await serve(cluster.url);
  });

  it('begins nothing a second time while the first is still under way', async () => {
    const release = hold();
    const asking = bus.ask(always, {}, context());
    await underWay();
    const since = await away();
    await sleep(1_000);
    release();
    expect((await asking).value).toEqual({ begun: 1 });
    expect(since()).toBeLessThan(settledWithinMs);
    expect(begun).toHaveLength(1);
  });

  it('says at once that it may have happened, where that may not be repeated', async () => {
    const release = hold();
    const keyed = { idempotency: { key: 'k', fingerprint: 'f' } };
    const asked = [
      reasonOf(bus.ask(never, {}, context(keyed))),
      reasonOf(bus.ask(withKey, {}, context())),
      reasonOf(bus.ask(withKey, {}, context(keyed))),
    ];
    await underWay(3);
    const since = await away(release);
    expect(await Promise.all(asked)).toEqual(['bus.timeout', 'bus.timeout', 'answered']);
    expect(since()).toBeLessThan(settledWithinMs);
    expect(begun.map(({ again }) => again)).toEqual([false, false, false, true]);
  });

  it('asks once, when it is back, what was asked meanwhile', async () => {
    let asked: Promise<string>[] = [];
    const since = await away(() => {
      asked = [always, never].map((contract) => reasonOf(bus.ask(contract, {}, context())));
    });
    expect(await Promise.all(asked)).toEqual(['answered', 'answered']);
    expect(since()).toBeLessThan(settledWithinMs);
    expect(begun).toHaveLength(2);
  });

  it('says that nothing was done, when it does not come back in time', async () => {
    let asked: Promise<string> | undefined;
    await away(async () => {
      asked = reasonOf(bus.ask(always, {}, context({ deadline: Date.now() + 500 })));
      expect(await asked).toBe('bus.unavailable');
    });
    expect(begun).toEqual([]);
  });
});

describe('a bus with three servers', () => {
  beforeAll(() => open(3), 30_000);
  afterAll(close);

  const asked = async (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        await sleep(n * 20);
        return reasonOf(bus.ask(always, {}, context()));
      }),
    );

  it.each([0, 1, 2])('answers everything while one is killed and comes back: %i', async (index) => {
    const asking = asked(100);
    await cluster.kill(index);
    expect(new Set(await asking)).toEqual(new Set(['answered']));
    await cluster.start(index);
  });

  it.each([0, 1, 2])('answers everything while one is frozen: %i', async (index) => {
    cluster.signal(index, 'SIGSTOP');
    try {
      expect(new Set(await asked(100))).toEqual(new Set(['answered']));
    } finally {
      cluster.signal(index, 'SIGCONT');
    }
    expect(new Set(await asked(10))).toEqual(new Set(['answered']));
  });

  it('asks again when it was the service that lost its server', async () => {
    const [here, there] = [cluster.urls[0] as string, cluster.urls[1] as string];
    const near = await Bus.open(here, 'near');
    await service.close();
    service = await serve(there);
    try {
      const release = hold();
      const asking = near.ask(always, {}, context());
      await underWay();
      await cluster.kill(1);
      release();
      await asking;
      expect(begun.map(({ again }) => again)).toEqual([false, true]);
    } finally {
      await near.close();
      await cluster.start(1);
    }
  });
});
