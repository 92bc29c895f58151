import { serviceNames } from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import type { RunningService } from '@carillon/runtime';
import { eventually, portOf, startParts } from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Progress } from './progress';
import { untilReady } from './readiness';
import type { startEdge, startServices } from './services';

let parts: Awaited<ReturnType<typeof startParts>>;
let services: { startEdge: typeof startEdge; startServices: typeof startServices };
let gateway: { url: string; close(): Promise<void> };
const running: RunningService[] = [];

beforeAll(async () => {
  parts = await startParts({ PORT: '0', LOG_LEVEL: 'silent' });
  services = await import('./services');
  gateway = await services.startEdge('');
}, 60_000);
afterAll(async () => {
  for (const service of running) await service?.close();
  await gateway?.close();
  await parts?.stop();
});

const ready = async (): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await fetch(`${gateway.url}/healthz/ready`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** Waits for what readiness says about the one that is not ready. */
const unready = (of: { service: string; projection?: string }): Promise<Record<string, unknown>> =>
  eventually(
    async () => {
      const { body } = await ready();
      return ((body['unready'] ?? []) as Record<string, unknown>[]).find(
        ({ service, projection }) => service === of.service && projection === of.projection,
      );
    },
    () => 'it stayed green',
    15_000,
  );

const green = (): Promise<unknown> =>
  eventually(
    async () => (await ready()).status === 200 || undefined,
    () => 'it stayed red',
    15_000,
  );

describe('readiness', () => {
  it('is red while a service does not run, and says which', async () => {
    const { status, body } = await ready();
    expect(status).toBe(503);
    expect(body).toEqual({
      error: 'The service is not ready.',
      code: 'UNAVAILABLE',
      retryAfter: 1,
      unready: serviceNames.map((service) => ({ service, reason: 'does not run' })),
    });
  });

  it('is green when every projection of every service has caught up once', async () => {
    const names = await services.startServices('', (service) => running.push(service));
    expect(names.split(', ').sort()).toEqual([...serviceNames]);
    await green();
  });

  it('stays green and gives notice when an event cannot be opened', async () => {
    const id = randomUUID();
    await running[0]!.get(Log).store.append(
      `device-${id}`,
      [
        {
          id,
          type: 'DeviceRegistered',
          data: 'garbage',
          metadata: { commandId: id, correlationId: id, accountId: 'usr_1', actor: { process: 'test' } },
        },
      ],
      'any',
    );
    const notice = '1 events could not be opened since the start; the log names each';
    await eventually(
      async () => {
        const { status, body } = await ready();
        if (status !== 200) throw new Error(JSON.stringify(body));
        return JSON.stringify(body['notices'] ?? '').includes(notice) || undefined;
      },
      () => 'nobody gave notice',
      15_000,
    );
  });

  it('was green while a projection stood still: it is red, with its name and the reason', async () => {
    const id = randomUUID();
    const { position } = await running[0]!.get(Log).store.append(
      `device-${id}`,
      [
        {
          id,
          type: 'DeviceMelted',
          data: {},
          metadata: { commandId: id, correlationId: id, accountId: 'usr_1', actor: { process: 'test' } },
        },
      ],
      'any',
    );
    const reason = `has stopped at an event that it does not know: DeviceMelted at ${position}`;
    expect(await unready({ service: 'push', projection: 'devices' })).toMatchObject({ reason });
  });

  it('asked one service only: it is red when any other is gone', async () => {
    const inbox = running.find(({ name }) => name === 'read-models')!;
    running.splice(running.indexOf(inbox), 1);
    await inbox.close();
    expect(await unready({ service: 'read-models' })).toEqual({
      service: 'read-models',
      reason: 'does not run',
    });
  });
});

describe('waiting until the gateway is ready', () => {
  it('said nothing while rows were made from the log: it says how far they are, and goes on when all are made', async () => {
    const reason = 'has not caught up with the log yet';
    const answers = [
      { service: 'read-models', projection: 'inbox', reason, percent: 12, events: 1_200, secondsLeft: 4 },
      { service: 'read-models', projection: 'inbox', reason, percent: 80, events: 8_000, secondsLeft: 1 },
      { service: 'push', reason: 'does not run' },
    ].map((each) => ({ status: 503, unready: [each] }));
    const server = createServer((_, response) => {
      const { status, ...body } = answers.shift() ?? { status: 200 };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const said: string[] = [];
    try {
      await untilReady({
        url: `http://127.0.0.1:${portOf(server)}`,
        logFile: '',
        progress: new Progress((text) => said.push(text)),
        goOn: () => {},
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(answers).toEqual([]);
    expect(said[0]).toBe(
      'rows           made from the log: 12 % (1,200 events), about 4 s left; read-models inbox is last of 1\n',
    );
  });
});
