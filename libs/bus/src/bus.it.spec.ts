import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { answers, SendNotification, StartActivity } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { busIgnored } from '@carillon/metrics';
import { eventually, startNats } from '@carillon/testkit';
import { Controller, type INestMicroservice, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { callerKeys, isSealed, readKeys, sealOf } from './seal';
import {
  answer,
  type Answer,
  Bus,
  BusServer,
  type Caller,
  type Context,
  Handles,
  reportFailures,
  stored,
} from './index';

const echo = answers<{ title: string; by: string }>()('test.echo.say', SendNotification);
const refuse = answers<never>()('test.echo.refuse', SendNotification);
const fail = answers<never>()('test.echo.fail', SendNotification);
const sleepy = answers<true>()('test.echo.sleep', SendNotification);
const half = answers<never>()('test.echo.half', SendNotification);
const away = answers<never>()('test.echo.away', SendNotification);
const huge = answers<{ text: string }>()('test.echo.huge', SendNotification);
const whole = answers<object>()('test.echo.whole', StartActivity);
const nobody = answers<never>()('absent.nobody.home', SendNotification);

let begun = 0;
const tooLarge: number[] = [];

@Controller()
class EchoHandlers {
  @Handles(echo)
  say(input: SendNotification, context: Context): Answer<{ title: string; by: string }> {
    begun += 1;
    return answer({ title: input.title, by: context.caller.accountId }, 42n);
  }

  @Handles(refuse)
  refuse(): Answer<never> {
    throw new Refused('echo.tired', { status: 'asleep' });
  }

  @Handles(half)
  half(input: SendNotification, { commandId }: Context): Answer<never> {
    stored(commandId);
    throw new Refused(input.title);
  }

  @Handles(away)
  away(): Answer<never> {
    stored(randomUUID());
    throw new Refused('database.unavailable');
  }

  @Handles(fail)
  fail(): Answer<never> {
    throw new Error('a bug with a secret in it');
  }

  @Handles(huge)
  tellAll({ title }: SendNotification): Answer<{ text: string }> {
    return answer({ text: '語'.repeat(Number(title)) });
  }

  @Handles(whole)
  whole(input: StartActivity): Answer<object> {
    return answer({ ...input });
  }

  @Handles(sleepy)
  async sleep(): Promise<Answer<true>> {
    await new Promise((resolve) => setTimeout(resolve, 500));
    return answer(true);
  }
}

@Module({ controllers: [EchoHandlers] })
class EchoModule {}

const slow = answers<true>()('slow.work.do', SendNotification);
let finish = (): void => {};

@Controller()
class SlowHandlers {
  @Handles(slow)
  async work(): Promise<Answer<true>> {
    begun += 1;
    await new Promise<void>((resolve) => (finish = resolve));
    return answer(true);
  }
}

@Module({ controllers: [SlowHandlers] })
class SlowModule {}

let nats: Awaited<ReturnType<typeof startNats>>;
let replicas: INestMicroservice[];
const buses: Bus[] = [];
let bus: Bus;

beforeAll(async () => {
  process.env['CARILLON_CALLER_KEY'] = Buffer.alloc(32, 8).toString('base64');
  nats = await startNats();
  const start = async () => {
    const own = await Bus.open(nats.url, 'test');
    buses.push(own);
    const app = await NestFactory.createMicroservice(EchoModule, {
      strategy: new BusServer(own, 'test', (bytes) => tooLarge.push(bytes)),
      logger: false,
    });
    await app.listen();
    return app;
  };
  replicas = [await start(), await start()];
  bus = await Bus.open(nats.url, 'test');
});
afterAll(async () => {
  await bus?.close();
  for (const replica of replicas) await replica.close();
  for (const each of buses) await each.close();
  await nats?.stop();
});

const input = { title: 'Hello', body: 'there' };
const context = (more: Partial<Context> = {}): Context => ({
  commandId: randomUUID(),
  correlationId: 'test',
  caller: { accountId: 'usr_1' },
  deadline: Date.now() + 5_000,
  ...more,
});

describe('a service that is being stopped', () => {
  it('finishes running requests first', async () => {
    const own = await Bus.open(nats.url, 'slow');
    const app = await NestFactory.createMicroservice(SlowModule, {
      strategy: new BusServer(own, 'slow'),
      logger: false,
    });
    await app.listen();
    begun = 0;
    const asked = bus.ask(slow, input, context());
    await eventually(
      () => begun === 1 || undefined,
      () => 'it was not asked',
    );
    const closed = app.close().then(() => own.close());
    setTimeout(() => finish(), 500);
    expect(await asked).toEqual({ value: true });
    await closed;
    await expect(bus.ask(slow, input, context())).rejects.toMatchObject({ reason: 'bus.no_responders' });
  });
});

describe('a request', () => {
  it('returns the answer of one of the replicas, and its position', async () => {
    begun = 0;
    expect(await bus.ask(echo, input, context())).toEqual({
      value: { title: 'Hello', by: 'usr_1' },
      position: '42',
    });
    expect(begun).toBe(1);
  });

  it('gets its own answer among many concurrent ones', async () => {
    const titles = Array.from({ length: 500 }, (_, n) => `n${n}`);
    const given = await Promise.all(titles.map((title) => bus.ask(echo, { ...input, title }, context())));
    expect(given.map(({ value }) => value.title)).toEqual(titles);
  });

  it('throws a refusal as the service threw it', async () => {
    const refusal = await bus.ask(refuse, input, context()).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refused);
    expect(refusal).toMatchObject({ reason: 'echo.tired', details: { status: 'asleep' } });
  });

  it('gets no transient error after its command was stored', async () => {
    const refusal = async (title: string) =>
      (await bus.ask(half, { ...input, title }, context()).catch((error: unknown) => error)) as Refused;
    for (const passing of [
      'database.unavailable',
      'store.unavailable',
      'projection.behind',
      'bus.unavailable',
      'event.unknown',
    ])
      expect(await refusal(passing)).toMatchObject({ reason: 'store.outcome_unknown' });
    expect(await refusal('echo.tired')).toMatchObject({ reason: 'echo.tired' });
    await expect(bus.ask(away, input, context())).rejects.toMatchObject({ reason: 'database.unavailable' });
  });

  it('is refused when its contract does not allow the input', async () =>
    expect(bus.ask(echo, { ...input, title: '' }, context())).rejects.toMatchObject({
      reason: 'input.invalid',
      details: { issues: [expect.objectContaining({ path: 'title' })] },
    }));

  it('reaches its handler without the fields that only a newer caller knows', async () => {
    const steps = [{ label: 'Build', state: 'active' as const }];
    const known: StartActivity = { props: { title: 'Deploy', layout: 'steps', steps }, key: 'build' };
    const newer = {
      ...known,
      props: {
        ...known.props,
        steps: steps.map((step) => ({ ...step, tone: 'calm' })),
        sound: { name: 'bell' },
      },
      quietly: true,
    };
    expect((await bus.ask(whole, newer, context())).value).toEqual(known);
    await expect(bus.ask(whole, { ...newer, key: '' }, context())).rejects.toMatchObject({
      reason: 'input.invalid',
      details: { issues: [expect.objectContaining({ path: 'key' })] },
    });
  });

  it('hides the details of a bug, which the service reports', async () => {
    const reported: unknown[] = [];
    reportFailures((subject, error) => reported.push([subject, (error as Error).message]));
    await expect(bus.ask(fail, input, context())).rejects.toMatchObject({ reason: 'internal', details: {} });
    expect(reported).toEqual([['rpc.test.echo.fail', 'a bug with a secret in it']]);
  });

  it('is not begun after its deadline', async () => {
    begun = 0;
    await expect(bus.ask(echo, input, context({ deadline: Date.now() - 1 }))).rejects.toMatchObject({
      reason: 'bus.timeout',
    });
    expect(begun).toBe(0);
  });

  it('ends at the deadline', async () =>
    expect(bus.ask(sleepy, input, context({ deadline: Date.now() + 50 }))).rejects.toMatchObject({
      reason: 'bus.timeout',
    }));

  it('carries an answer of nearly 1 MiB, and is refused at once for a larger one', async () => {
    const ask = (characters: number) => bus.ask(huge, { ...input, title: String(characters) }, context());
    expect((await ask(340_000)).value.text).toHaveLength(340_000);
    await expect(ask(350_000)).rejects.toMatchObject({
      reason: 'bus.too_large',
      details: { limit: 1024 * 1024 },
    });
    expect(tooLarge).toEqual([expect.any(Number)]);
  });

  it('is refused at once when no service listens', async () =>
    expect(bus.ask(nobody, input, context())).rejects.toMatchObject({ reason: 'bus.no_responders' }));
});

describe('a listener that throws', () => {
  const reports: string[] = [];
  beforeAll(() => reportFailures((subject, error) => reports.push(`${subject}: ${String(error)}`)));
  afterAll(() => reportFailures(() => {}));

  it('does not end other signals or requests', async () => {
    const heard: unknown[] = [];
    const stop = bus.onSignal<{ position: string }>('door.counted', (_, { position }) =>
      heard.push(BigInt(position)),
    );
    await bus.alive();
    const stranger = await connect({ servers: nats.url });
    for (const text of ['{"position":"8"}', '{"data":{"position":"8"},"seal":1}', 'null', 'no JSON', ''])
      stranger.publish('sig.door.counted.front', text);
    await stranger.flush();
    await stranger.close();
    for (const data of [{ position: 'no number' }, {}, null]) bus.signal('door.counted', 'front', data);
    bus.signal('door.counted', 'front', { position: '7' });
    await eventually(
      () => heard.length > 0 || undefined,
      () => 'nothing is heard any more',
    );
    expect(heard).toEqual([7n]);
    expect((await bus.ask(echo, input, context())).value.by).toBe('usr_1');
    stop();
    // It is logged once and counted each time.
    expect(reports).toEqual(['sig.door.counted.*: Error: A listener of the bus failed']);
    const { values } = await busIgnored.get();
    expect(values).toContainEqual({ labels: { of: 'sig.door.counted.*' }, value: 8 });
  });
});

describe('a signal', () => {
  it('reaches the listeners of its topic only', async () => {
    const heard: unknown[] = [];
    const stop = bus.onSignal('door.opened', (id, data) => heard.push([id, data]));
    bus.onSignal('door.closed', (id) => heard.push(id));
    await bus.alive();
    bus.signal('door.opened', 'front', { by: 'Ada' });
    await expect(bus.alive()).resolves.toBe(true);
    expect(heard).toEqual([['front', { by: 'Ada' }]]);
    stop();
  });

  it('without the key, or sealed for another id, reaches no listener', async () => {
    const heard: string[] = [];
    const seen: string[] = [];
    const stop = bus.onSignal<object>('door.locked', (id) => heard.push(id));
    await bus.alive();
    const stranger = await connect({ servers: nats.url });
    stranger.subscribe('sig.door.locked.front', {
      callback: (_, message) => {
        seen.push(message.string());
        stranger.publish('sig.door.locked.back', message.data);
        void stranger.flush().then(() => bus.signal('door.locked', 'last'));
      },
    });
    await stranger.flush();
    stranger.publish('sig.door.locked.side', '{"data":{},"seal":""}');
    await stranger.flush();
    bus.signal('door.locked', 'front', { by: 'Ada' });
    await eventually(
      () => heard.includes('last') || undefined,
      () => 'the last signal is missing',
    );
    expect([heard, seen.length]).toEqual([['front', 'last'], 1]);
    stop();
    await stranger.close();
  });

  it('reaches the listeners of its id only, until they stop', async () => {
    const heard: unknown[] = [];
    const stop = bus.onSignalOf('door.opened', 'front', (data) => heard.push(data));
    await bus.alive();
    bus.signal('door.opened', 'back', 1);
    bus.signal('door.opened', 'front', 2);
    await bus.alive();
    stop();
    bus.signal('door.opened', 'front', 3);
    await bus.alive();
    expect(heard).toEqual([2]);
  });
});

describe('an unproven caller', () => {
  /** A packet as the bus publishes it, sealed with another key, for another subject, or changed afterwards. */
  const packet = ({
    key = callerKeys()[0] as KeyObject,
    sealedFor = echo.subject,
    who = context() as unknown,
    what = input as unknown,
    said = {},
  }: {
    key?: KeyObject;
    sealedFor?: string;
    who?: unknown;
    what?: unknown;
    said?: object;
  }) => {
    const seal = sealOf(key, sealedFor, JSON.stringify(who), JSON.stringify(what));
    return { pattern: echo.subject, id: 'x', data: { context: who, input: what, seal, ...said } };
  };
  const someone = async (): Promise<NatsConnection> => (intruder ??= await connect({ servers: nats.url }));
  let intruder: NatsConnection | undefined;
  afterAll(() => intruder?.close());

  const ask = async (body: unknown) => {
    const connection = await someone();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return (await connection.request(echo.subject, text, { timeout: 2_000 })).json<{ response: unknown }>();
  };
  const other = (caller: object) => ({ said: { context: context({ caller: caller as Caller }) } });

  it('is accepted with the key', async () =>
    expect(await ask(packet({}))).toMatchObject({ response: { value: { title: 'Hello', by: 'usr_1' } } }));

  it.each<[string, () => unknown]>([
    ['has no seal', () => packet({ said: { seal: undefined } })],
    ['has a seal of another type', () => packet({ said: { seal: { length: 32 } } })],
    ['has a seal of another key', () => packet({ key: createSecretKey(Buffer.alloc(32)) })],
    ['is not the sealed caller', () => packet(other({ accountId: 'usr_victim' }))],
    ['claims to be a process of Carillon', () => packet(other({ accountId: '', process: 'operator' }))],
    ['has a later deadline than sealed', () => packet({ said: { context: context({ deadline: 8e15 }) } })],
    ['has another input than sealed', () => packet({ said: { input: { ...input, title: 'Another' } } })],
    ['has another subject than sealed', () => packet({ sealedFor: refuse.subject })],
    ['sends no data', () => ({ pattern: echo.subject, id: 'x' })],
    ['sends null', () => ({ pattern: echo.subject, id: 'x', data: null })],
    [
      'has no context',
      () => ({ pattern: echo.subject, id: 'x', data: { context: null, input: null, seal: '' } }),
    ],
  ])('is refused when it %s, and nothing is begun', async (_, body) => {
    begun = 0;
    expect(await ask(body())).toMatchObject({ response: { refused: 'caller.unproven' } });
    expect(begun).toBe(0);
  });

  it.each(['', 'no JSON', 'null', '[]', '7', '{"pattern":"x"}', '{"id":1}', '\u0000\ud800'])(
    'does not end the service with %j instead of a request',
    async (text) => {
      begun = 0;
      const connection = await someone();
      connection.publish(echo.subject, text);
      connection.publish(echo.subject, text, { reply: 'answers' });
      await connection.flush();
      expect((await bus.ask(echo, input, context())).value.by).toBe('usr_1');
      expect(begun).toBe(1);
    },
  );

  it('is accepted with an older key during a rotation', () => {
    const [newer, older] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)].map((key) => key.toString('base64'));
    const keys = readKeys(`${newer}, ${older}`);
    const ask = { context: { a: 1 }, input: { b: [1.5, 'é\n'] } };
    const by = (text: string) =>
      sealOf(readKeys(text)[0] as KeyObject, 'rpc.x', JSON.stringify(ask.context), JSON.stringify(ask.input));
    for (const key of [newer, older] as string[])
      expect(isSealed(keys, 'rpc.x', { ...ask, seal: by(key) })).toBe(true);
    expect(isSealed(readKeys(newer as string), 'rpc.x', { ...ask, seal: by(older as string) })).toBe(false);
    expect(() => readKeys('short')).toThrow(/CARILLON_CALLER_KEY/);
  });
});
