import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { serviceNames } from '@carillon/contracts';
import type { Children } from '../child';
import type { Progress } from '../progress';
import { Balancer } from './balancer';
import type { NatsUsers } from './closed-nats';

const replicas = [1, 2] as const;
/** Two of each service share one Postgres. */
const poolSize = '4';

export interface ClusterOptions {
  readonly checkout: string;
  readonly children: Children;
  readonly progress: Progress;
  /** Where the balancer listens. */
  readonly port: number;
  /** How each process comes to NATS; undefined where the environment says it. */
  readonly nats: { readonly url: string; readonly caFile: string; readonly users: NatsUsers } | undefined;
}

/** Every service and the gateway as processes of their own, two of each, and a balancer before the gateways. */
export class Cluster {
  private balancer: Balancer | undefined;

  constructor(private readonly options: ClusterOptions) {}

  async start(): Promise<void> {
    const { progress, port } = this.options;
    await progress.timed(
      'services',
      async () => {
        // The first of each alone: on a small machine all at once would wait for each other.
        for (const n of replicas)
          await Promise.all(serviceNames.map((name) => this.process(name, n, {}, 'The service is ready')));
      },
      () => `two of each: ${serviceNames.join(', ')}`,
    );
    const ports = [await freePort(), await freePort()];
    await progress.timed(
      'gateways',
      () =>
        Promise.all(
          replicas.map((n) =>
            this.process('gateway', n, { PORT: String(ports[n - 1]) }, 'The gateway is ready'),
          ),
        ),
      () => ports.map((each) => `http://127.0.0.1:${each}`).join(', '),
    );
    this.balancer = new Balancer(ports);
    await this.balancer.listen(port);
  }

  /** First who asks, then who is asked. */
  async stopGateways(): Promise<void> {
    await this.balancer?.close();
    await Promise.all(replicas.map((n) => this.options.children.stop(`gateway-${n}`)));
  }

  async stopServices(): Promise<void> {
    const parts = serviceNames.flatMap((name) => replicas.map((n) => `${name}-${n}`));
    await Promise.all(parts.map((part) => this.options.children.stop(part)));
  }

  /** By the image's own entry point, so that what runs here is what runs elsewhere. */
  private process(name: string, n: number, env: NodeJS.ProcessEnv, ready: string): Promise<void> {
    const { checkout, children, nats } = this.options;
    return children.start({
      part: `${name}-${n}`,
      command: process.execPath,
      args: [join(checkout, 'deploy/entrypoint.mjs'), name],
      env: {
        CARILLON_DB_POOL: poolSize,
        ...process.env,
        METRICS_PORT: '0',
        // Each writes to its own file, which `children` gives it; and has a clock of its own, which nobody moves.
        LOG_FILE: '',
        CARILLON_CLOCK: '',
        ...(nats && {
          NATS_URL: nats.url,
          NATS_CA_FILE: nats.caFile,
          NATS_USER: name,
          NATS_PASSWORD: nats.users.passwordOf(name),
        }),
        ...env,
      },
      isReady: (output) => output.includes(`"msg":"${ready}"`),
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port is free');
  return address.port;
}
