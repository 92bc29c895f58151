import { join } from 'node:path';
import { serviceNames } from '@carillon/contracts';
import type { Children } from '../child';
import type { Ports } from '../ports';
import { PartFailed, type Progress } from '../progress';
import { setting } from '@carillon/settings';
import { Balancer } from './balancer';
import { ClusterClock } from './clock';
import type { NatsUsers } from './closed-nats';
import { Links } from './links';
import type { OfServices } from './store-users';

/** Pool size of each process, small as all processes share one Postgres. */
const poolSize = '4';

export interface ClusterOptions {
  readonly checkout: string;
  readonly children: Children;
  readonly progress: Progress;
  readonly ports: Ports;
  /** How many processes of each service, and how many gateways. */
  readonly replicas: number;
  /** All processes but the first of each service reach the parts by links. */
  readonly links: boolean;
  /** The port of the balancer. */
  readonly port: number;
  /** When every service runs, and nobody is served yet. */
  readonly beforeGateways: () => Promise<void>;
  /** Each service's own URLs of the stores; undefined where the environment says one for all. */
  readonly databaseUrls: OfServices | undefined;
  readonly eventStoreUrls: OfServices | undefined;
  /** How each process comes to NATS; undefined where the environment says it. */
  readonly nats: { readonly url: string; readonly caFile: string; readonly users: NatsUsers } | undefined;
}

const partOf = (name: string, n: number): string => `${name}-${n}`;

const isClockMovable = (): boolean => setting('CARILLON_CLOCK', '') === 'manual';

/** Every service and the gateway as processes of their own, several of each, and a balancer before the gateways. */
export class Cluster {
  private balancer: Balancer | undefined;
  private links: Links | undefined;
  private readonly metricsPorts = new Map<string, number>();

  private readonly replicas: readonly number[];

  constructor(private readonly options: ClusterOptions) {
    this.replicas = Array.from({ length: options.replicas }, (_, index) => index + 1);
  }

  /** Returns the metrics URL of each process. */
  async start(): Promise<Readonly<Record<string, string>>> {
    const { progress, port, children } = this.options;
    const parts = ['gateway', ...serviceNames].flatMap((name) => this.replicas.map((n) => partOf(name, n)));
    // One after the other: two at once could get the same port. A restarted process needs its own port again.
    for (const part of parts) this.metricsPorts.set(part, await this.options.ports.any(`metrics of ${part}`));
    if (this.options.links) this.links = await this.openLinks();
    await progress.timed(
      'services',
      async () => {
        // The first of each alone: on a small machine all at once would slow each other down.
        for (const n of this.replicas)
          await Promise.all(serviceNames.map((name) => this.process(name, n, {}, 'Service ready')));
      },
      () => `${this.replicas.length} of each: ${serviceNames.join(', ')}`,
    );
    await this.options.beforeGateways();
    const ports: number[] = [];
    for (const n of this.replicas) ports.push(await this.options.ports.any(`gateway-${n}`));
    await progress.timed(
      'gateways',
      () =>
        Promise.all(
          ports.map((each, index) =>
            this.process('gateway', index + 1, { PORT: String(each) }, 'Gateway ready'),
          ),
        ),
      () => ports.map((each) => `http://127.0.0.1:${each}`).join(', '),
    );
    const clock = new ClusterClock(children, parts);
    this.balancer = new Balancer(ports, isClockMovable() ? (ms) => clock.advance(ms) : undefined);
    await this.balancer.listen(port);
    return Object.fromEntries(
      [...this.metricsPorts].map(([part, each]) => [part, `http://127.0.0.1:${each}/metrics`]),
    );
  }

  private async openLinks(): Promise<Links> {
    const { checkout, children, ports, databaseUrls, eventStoreUrls, nats } = this.options;
    const [service] = serviceNames;
    const [postgres, eventStore] = [databaseUrls?.[service], eventStoreUrls?.[service]];
    if (postgres === undefined || eventStore === undefined || !nats)
      throw new PartFailed('links', 'they lead to parts that the cluster has started itself only');
    const links = new Links({ checkout, children, ports });
    await links.open('postgres', postgres);
    await links.open('event-store', eventStore);
    await links.open('nats', nats.url);
    return links;
  }

  /** Stops callers before services: gateways tell waiting clients to retry, and the balancer passes that on. */
  async stopGateways(): Promise<void> {
    const gone = Promise.all(this.replicas.map((n) => this.options.children.stop(partOf('gateway', n))));
    await this.balancer?.close(gone);
    await gone;
  }

  async stopServices(): Promise<void> {
    const parts = serviceNames.flatMap((name) => this.replicas.map((n) => partOf(name, n)));
    await Promise.all(parts.map((part) => this.options.children.stop(part)));
  }

  /**
   * Uses the entry point of the image, so that the same programs run here as elsewhere. A link in `CARILLON_RELEASES`
   * leads to the checkout of the release that a process runs, from its next start on.
   */
  private process(name: string, n: number, env: NodeJS.ProcessEnv, ready: string): Promise<void> {
    const { checkout, children, databaseUrls, eventStoreUrls, nats } = this.options;
    const part = partOf(name, n);
    // The gateway has neither store, and so an empty URL.
    const by = (url = ''): string => (url && n > 1 && this.links?.through(url)) || url;
    const releases = setting('CARILLON_RELEASES', '');
    return children.start({
      part,
      command: process.execPath,
      args: releases
        ? ['--preserve-symlinks-main', join(releases, part, 'deploy/entrypoint.mjs'), name]
        : [join(checkout, 'deploy/entrypoint.mjs'), name],
      env: {
        CARILLON_DB_POOL: poolSize,
        ...process.env,
        METRICS_PORT: String(this.metricsPorts.get(part)),
        // Each process writes to its own file from `children`.
        LOG_FILE: '',
        ...(databaseUrls && { DATABASE_URL: by(databaseUrls[name]) }),
        ...(eventStoreUrls && { EVENTSTORE_URL: by(eventStoreUrls[name]) }),
        ...(nats && {
          NATS_URL: by(nats.url),
          NATS_CA_FILE: nats.caFile,
          NATS_USER: name,
          NATS_PASSWORD: nats.users.passwordOf(name),
        }),
        ...env,
      },
      listens: isClockMovable(),
      isReady: (output) => output.includes(`"msg":"${ready}"`),
    });
  }
}
