import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { atEachLook, queueDue, serveMetrics, streamsOpen, waitsOpen } from './index';
import { registry } from './metrics';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function served(unready?: () => Promise<readonly string[]>) {
  process.env['METRICS_PORT'] = '0';
  const server = await serveMetrics(unready);
  stops.push(() => server.close());
  return {
    url: server.url,
    get: async (path = '/metrics', method = 'GET') => {
      const answer = await fetch(new URL(path, server.url), { method });
      return { status: answer.status, text: await answer.text() };
    },
  };
}

it('each metric of ours stands in docs/metrics.md, and no other', async () => {
  const told = readFileSync(join(import.meta.dirname, '../../../docs/metrics.md'), 'utf8');
  const names = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  expect([...told.matchAll(/^\| `(carillon_\w+)`/gm)].map(([, name]) => name).sort()).toEqual(
    names.filter((name) => name.startsWith('carillon_')).sort(),
  );
});

describe('the metrics of a process', () => {
  it('are on a port of their own, with what Node knows of itself', async () => {
    const { url, get } = await served();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    const { status, text } = await get();
    expect(status).toBe(200);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \S+$/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  });

  it('are nothing that anybody can change or look around in', async () => {
    const { get } = await served();
    expect((await get('/metrics', 'POST')).status).toBe(404);
    expect((await get('/')).status).toBe(404);
    expect((await get('/constructor')).status).toBe(404);
  });

  it('are not for a page whose own name leads to this machine', async () => {
    const { url } = await served();
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const asked = request(url, { headers: { host } }, (answer) => resolve(answer.resume().statusCode));
        asked.once('error', reject).end();
      });
    const { port } = new URL(url);
    expect(await status(`evil.example:${port}`)).toBe(421);
    expect(await status(`localhost:${port}`)).toBe(200);
  });

  it('add up what several of one kind in a process have, and forget what is gone', async () => {
    const { get } = await served();
    const stop = [atEachLook(() => waitsOpen.inc(2)), atEachLook(() => waitsOpen.inc(3))];
    expect((await get()).text).toContain('\ncarillon_waits_open 5\n');
    expect((await get()).text).toContain('\ncarillon_waits_open 5\n');
    stop.forEach((each) => each());
    expect((await get()).text).toContain('\ncarillon_waits_open 0\n');
  });

  it('tell the rest while one part cannot be asked', async () => {
    const { get } = await served();
    stops.push(
      atEachLook(() => Promise.reject(new Error('the database is away'))),
      atEachLook(() => {
        throw new Error('a fault');
      }),
      atEachLook(() => new Promise(() => {})),
      atEachLook(() => streamsOpen.inc(7)),
    );
    queueDue.set({ service: 'push', queue: 'deliveries' }, 3);
    const { text } = await get();
    expect(text).toContain('\ncarillon_streams_open 7\n');
    // What nobody can say any more has no value.
    expect(text).not.toContain('carillon_queue_due{');
  });

  it('have labels with few values: nothing that somebody outside could make up', async () => {
    const labels = (await registry.getMetricsAsJSON()).map(({ name }) => {
      const metric = registry.getSingleMetric(name) as unknown as { readonly labelNames: readonly string[] };
      return metric.labelNames;
    });
    const ours = ['method', 'route', 'status', 'service', 'outcome', 'subject', 'projection', 'queue', 'of'];
    const nodes = ['kind', 'space', 'type', 'version', 'major', 'minor', 'patch'];
    expect(labels.flat().filter((label) => ![...ours, 'provider', ...nodes].includes(label))).toEqual([]);
  });

  it('say beside them whether the process lives and is ready', async () => {
    let why: string[] = ['inbox: has not caught up with the log yet'];
    const { get } = await served(async () => why);
    expect((await get('/healthz/live')).status).toBe(200);
    expect(await get('/healthz/ready')).toEqual({ status: 503, text: `${why[0]}\n` });
    why = [];
    expect((await get('/healthz/ready')).status).toBe(200);
  });

  it('say in a sentence that their port is taken', async () => {
    const { url } = await served();
    process.env['METRICS_PORT'] = new URL(url).port;
    await expect(serveMetrics()).rejects.toThrow(/^METRICS_PORT: port \d+ of 127\.0\.0\.1 cannot be used/);
  });
});
