import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers, Nothing } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { eventually, type NatsCluster, Relay, startNatsCluster } from '@carillon/testkit';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { answer, type Answer, Bus, BusServer, type Context, Handles, timedOut } from './index';

process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');

const always = answers<{ begun: number }>()('away.always.do', Nothing, [], 'always');
const withKey = answers<{ begun: number }>()('away.with-key.do', Nothing, [], 'with_key');
const never = answers<{ begun: number }>()('away.never.do', Nothing);
const unheard = answers<{ begun: number }>()('unheard.always.do', Nothing, [], 'always');

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
  const strategy = new BusServer(await Bus.open(url, 'away'), 'away');
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(AwayModule, {
    strategy,
    logger: false,
  });
  await app.listen();
  return app;
}

/** Closes a service and its connection. */
const ended = async (of: INestMicroservice | undefined): Promise<void> => {
  await of?.close();
  await of?.unwrap<NatsConnection>().close();
};

const context = (more: Partial<Context> = {}): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId: 'usr_1' },
  // Beyond the timeout of a test: a call that waits for the deadline fails.
  deadline: Date.now() + 120_000,
  ...more,
});
const reasonOf = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    () => 'answered',
    (error: unknown) => (error instanceof Refused ? error.reason : String(error)),
  );
/** Holds all answers until the returned function is called. */
const hold = (): (() => void) => {
  let release = (): void => {};
  held = new Promise((resolve) => (release = resolve));
  return release;
};
/** Expects a first execution and repeats: one or more, as the two connections come back one after the other. */
const isBegunAgain = ({ commandId }: Context): void => {
  const mine = begun.filter((each) => each.commandId === commandId).map(({ again }) => again);
  expect(mine.slice(0, 2)).toEqual([false, true]);
  expect(mine.slice(2)).not.toContain(false);
};
const timesBegun = (of: Context): number =>
  begun.filter(({ commandId }) => commandId === of.commandId).length;
const underWay = (count = 1): Promise<unknown> =>
  eventually(
    () => begun.length >= count || undefined,
    () => 'nothing was begun',
  );

let cluster: NatsCluster;
let service: INestMicroservice;
let bus: Bus;
/** Waits for the service: its own server knows a new subscription first, the other servers a moment later. */
const openBus = async (url: string): Promise<Bus> => {
  const opened = await Bus.open(url, 'test');
  await eventually(
    async () => (await reasonOf(opened.ask(always, {}, context()))) === 'answered' || undefined,
    () => 'the service is not heard of',
  );
  begun = [];
  return opened;
};
const open = async (size: number): Promise<void> => {
  cluster = await startNatsCluster(size);
  service = await serve(cluster.url);
  bus = await openBus(cluster.url);
};
const close = async (): Promise<void> => {
  await bus?.close();
  await ended(service);
  await cluster?.stop();
};
beforeEach(() => {
  begun = [];
  held = Promise.resolve();
});

describe('a bus after its only server was away', () => {
  beforeAll(() => open(1));
  afterAll(close);

  /** Kills and restarts the server, and calls `meanwhile` in between. */
  const away = async (meanwhile: () => unknown = () => {}): Promise<void> => {
    await cluster.kill(0);
    try {
      await sleep(700);
      await meanwhile();
    } finally {
      await cluster.start(0);
    }
  };

  it('repeats a repeatable request at once when its answer was lost', async () => {
    const release = hold();
    const command = context();
    const asking = bus.ask(always, {}, command);
    await underWay();
    await away(release);
    await asking;
    isBegunAgain(command);
  });

  it('reports a timeout when the first request was begun and its repeats fail', async () => {
    const release = hold();
    // The bus repeats the request up to its deadline.
    const asking = reasonOf(bus.ask(always, {}, context({ deadline: Date.now() + 5_000 })));
    await underWay();
    // The service does not come back with the server.
    await away(() => service.unwrap<NatsConnection>().close());
    expect(await asking).toBe(timedOut);
    release();
    service = await serve(cluster.url);
  });

  it('begins no request a second time while the first is running', async () => {
    const release = hold();
    const asking = bus.ask(always, {}, context());
    await underWay();
    await away();
    await sleep(1_000);
    expect(begun).toHaveLength(1);
    release();
    expect((await asking).value).toEqual({ begun: 1 });
  });

  it('reports a timeout at once for a request that must not be repeated', async () => {
    const release = hold();
    const keyed = { idempotency: { key: 'k', fingerprint: 'f' } };
    const commands = [context(keyed), context(), context(keyed)] as const;
    const asked = [never, withKey, withKey].map((contract, n) =>
      reasonOf(bus.ask(contract, {}, commands[n]!)),
    );
    await underWay(3);
    await away(release);
    expect(await Promise.all(asked)).toEqual(['bus.timeout', 'bus.timeout', 'answered']);
    expect(commands.slice(0, 2).map(timesBegun)).toEqual([1, 1]);
    isBegunAgain(commands[2]);
  });

  it('sends requests of the outage after the reconnect, and unrepeatable ones only once', async () => {
    const [command, unrepeatable] = [context(), context()];
    let asked: Promise<string>[] = [];
    await away(() => {
      asked = [reasonOf(bus.ask(always, {}, command)), reasonOf(bus.ask(never, {}, unrepeatable))];
    });
    expect(await Promise.all(asked)).toEqual(['answered', 'answered']);
    expect(timesBegun(command)).toBeGreaterThanOrEqual(1);
    expect(timesBegun(unrepeatable)).toBe(1);
  });

  it('repeats requests that are lost after the reconnect', async () => {
    await away();
    let heard = 0;
    // As with a frozen server that the other servers still route to.
    bus.link.subscribe(unheard.subject, 'unheard', (message) => {
      heard += 1;
      if (heard === 3) message.respond(JSON.stringify({ response: { value: { begun: heard } } }));
    });
    expect((await bus.ask(unheard, {}, context())).value).toEqual({ begun: 3 });
  });

  it('reports the bus as unavailable when the server does not come back in time', async () => {
    let asked: Promise<string> | undefined;
    await away(async () => {
      asked = reasonOf(bus.ask(always, {}, context({ deadline: Date.now() + 500 })));
      expect(await asked).toBe('bus.unavailable');
    });
    expect(begun).toEqual([]);
  });
});

describe('a bus beside a process of the service that is cut off', () => {
  beforeAll(() => open(1));
  afterAll(close);

  it('has what may be repeated answered by another process, before the server notices', async () => {
    const relay = await Relay.to(Number(new URL(cluster.url).port));
    let cutOff: INestMicroservice | undefined;
    try {
      cutOff = await serve(`nats://127.0.0.1:${relay.port}`);
      relay.freeze();
      // Half of them, and of their repetitions, go to the process that is cut off.
      const asked = Array.from({ length: 8 }, () => reasonOf(bus.ask(always, {}, context())));
      expect(new Set(await Promise.all(asked))).toEqual(new Set(['answered']));
    } finally {
      relay.thaw();
      await ended(cutOff);
      await relay.stop();
    }
  }, 60_000);
});

describe('a bus with three servers', () => {
  beforeAll(() => open(3));
  afterAll(close);

  const asked = async (count: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        await sleep(n * 20);
        return reasonOf(bus.ask(always, {}, context()));
      }),
    );

  it.each([0, 1, 2])('answers every request while one is killed and restarted: %i', async (index) => {
    const asking = asked(100);
    await cluster.kill(index);
    try {
      expect(new Set(await asking)).toEqual(new Set(['answered']));
    } finally {
      await cluster.start(index);
    }
  });

  it.each([0, 1, 2])('answers every request while one is frozen: %i', async (index) => {
    cluster.signal(index, 'SIGSTOP');
    try {
      expect(new Set(await asked(100))).toEqual(new Set(['answered']));
    } finally {
      cluster.signal(index, 'SIGCONT');
    }
    expect(new Set(await asked(10))).toEqual(new Set(['answered']));
  });

  it('repeats a request when the service lost its server', async () => {
    const [here, there] = [cluster.urls[0] as string, cluster.urls[1] as string];
    await ended(service);
    service = await serve(there);
    const near = await openBus(here);
    try {
      const release = hold();
      const command = context();
      const asking = near.ask(always, {}, command);
      await underWay();
      await cluster.kill(1);
      release();
      await asking;
      isBegunAgain(command);
    } finally {
      await near.close();
      await cluster.start(1);
    }
  });
});
