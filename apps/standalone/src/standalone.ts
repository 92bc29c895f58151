import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Children, Stopped } from './child';
import { collectWhenQuiet } from './collection';
import { NatsUsers } from './cluster/closed-nats';
import { Cluster, type ClusterOptions } from './cluster/cluster';
import { databaseUrls, eventStoreUrls, eventStoreUsers, type OfServices } from './cluster/store-users';
import { databaseSetting, setting, settingOf } from '@carillon/settings';
import { repeatDeletions } from './deletions';
import { givenEventStore, ownEventStore } from './event-store';
import { firstAccount, type FirstAccountAccess } from './first-account';
import { Lock } from './lock';
import { givenNats, ownNats } from './nats';
import type { StandaloneOptions } from './options';
import { Ports } from './ports';
import { givenPostgres, ownPostgres } from './postgres';
import { failedIn, type Progress } from './progress';
import { realProviders, simulatedProviders } from './push-providers';
import { Secrets } from './secrets';
import { untilReady } from './readiness';
import { removeState, type State, writeState } from './state-file';

/** The order of stops: callers first, the parts that they call last. */
const stopOrder = [
  'gateway',
  'services',
  'traces',
  'metrics',
  'simulator',
  'event-store',
  'nats',
  'postgres',
] as const;
type Stoppable = (typeof stopOrder)[number];

/**
 * Whether each service of a cluster has a role of its own in Postgres. A release from before that has not: its programs
 * create their schemas.
 */
const hasRoles = ({ cluster, databaseUrl }: StandaloneOptions): boolean =>
  cluster && databaseUrl === undefined && setting('CARILLON_RELEASES', '') === '';

const closeWithinMs = 15_000;
/** How long the processes left by a crash may take to end. */
const dyingMs = 10_000;

/** The parts, the services in this process, and the order in which they come and go. */
export class Standalone {
  private readonly children: Children;
  private readonly closers: { stage: Stoppable; close: () => Promise<void> }[] = [];
  private readonly underWay = new Set<Promise<unknown>>();
  private stopping: Promise<void> | undefined;
  /** Aborts the waits of a start. */
  private interrupt = (): void => {};
  private stopMeasuring = (): void => {};
  private stopCollecting = (): void => {};

  private constructor(
    private readonly options: StandaloneOptions,
    private readonly checkout: string,
    private readonly progress: Progress,
    private readonly lock: Lock,
  ) {
    this.children = new Children(options.dataFolder, progress);
  }

  /** Takes the data folder. Rejects with `PartFailed` when another standalone has it. */
  static async on(options: StandaloneOptions, checkout: string, progress: Progress): Promise<Standalone> {
    const { dataFolder } = options;
    try {
      mkdirSync(dataFolder, { recursive: true });
      // The database's own user must be able to pass through; the files in it are closed one by one.
      if (process.getuid?.() === 0) chmodSync(dataFolder, 0o711);
      return new Standalone(options, checkout, progress, await Lock.take(dataFolder));
    } catch (error) {
      throw failedIn('standalone', error);
    }
  }

  /** Resolves when everything is ready. Rejects with `PartFailed`, or with `Stopped` when a stop came in between. */
  start(): Promise<State> {
    return this.track(this.startAll());
  }

  private async startAll(): Promise<State> {
    const { options, progress, children } = this;
    const { dataFolder } = options;
    removeState(dataFolder);
    await children.sweep();
    const secrets = Secrets.open(dataFolder);
    const ports = new Ports(dataFolder, this.lock.afterCrash ? dyingMs : 0);
    const port = options.partsOnly ? 0 : await ports.wanted('gateway', options.port, 'PORT');
    const simulatorPort = options.realProviders
      ? 0
      : await ports.wanted('simulator', options.simulatorPort, 'SIMULATOR_PORT');
    const metricsPort = options.partsOnly
      ? 0
      : await ports.wanted('metrics', options.metricsPort, 'METRICS_PORT');
    // One after the other: two at once could be given the same port.
    const postgresPort = options.databaseUrl ? 0 : await ports.any('postgres');
    const natsPort = options.natsUrl ? 0 : await ports.any('nats');
    const eventStorePort = options.eventStoreUrl ? 0 : await ports.any('event-store');
    const apps = join(this.checkout, 'dist', 'apps');
    const users = options.cluster ? new NatsUsers(this.checkout, secrets.values.natsPassword) : undefined;

    const [postgres, nats, eventStore, providers] = await Promise.all([
      this.part('postgres', () =>
        options.databaseUrl
          ? givenPostgres(options.databaseUrl)
          : ownPostgres({
              dataFolder,
              port: postgresPort,
              password: secrets.values.databasePassword,
              children,
              progress,
            }),
      ),
      this.part('nats', () =>
        options.natsUrl
          ? givenNats(options.natsUrl)
          : ownNats({
              dataFolder,
              toolFolder: join(this.checkout, '.carillon', 'tools'),
              port: natsPort,
              password: secrets.values.natsPassword,
              users,
              mayInstall: options.mayInstall,
              children,
              progress,
            }),
      ),
      this.part('event-store', async () =>
        options.eventStoreUrl
          ? givenEventStore(options.eventStoreUrl)
          : ownEventStore({
              dataFolder,
              port: eventStorePort,
              password: secrets.values.eventStorePassword,
              users: options.cluster ? eventStoreUsers(secrets.values.eventStorePassword) : {},
              apps,
              children,
            }),
      ),
      this.part('simulator', async () =>
        options.realProviders
          ? realProviders()
          : simulatedProviders({ dataFolder, port: simulatorPort, apps, children }),
      ),
    ]);

    const urls = { databaseUrl: postgres.url, natsUrl: nats.url, eventStoreUrl: eventStore.url };
    const gatewayUrl = `http://127.0.0.1:${port}`;
    // A name, as passkeys need one.
    const baseUrl = options.baseUrl ?? `http://localhost:${port}`;
    this.setEnvironment(
      {
        DATABASE_URL: urls.databaseUrl,
        NATS_URL: urls.natsUrl,
        EVENTSTORE_URL: urls.eventStoreUrl,
        CARILLON_BASE_URL: baseUrl,
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        ...providers.env,
      },
      {
        CARILLON_PEPPER: secrets.values.pepper,
        CARILLON_KEYS: secrets.values.keys,
        CARILLON_CALLER_KEY: secrets.values.callerKey,
        CARILLON_AUDIT_KEY: secrets.values.auditKey,
        CARILLON_BOOTSTRAP_SECRET: secrets.values.bootstrapSecret,
        SIGNUP_MODE: 'open',
        TEAMS_MODE: 'open',
        CARILLON_WEB_PUSH_SUBJECT: 'mailto:operator@carillon.example',
        HOST: '127.0.0.1',
        LOG_LEVEL: 'info',
        LOG_FILE: children.logFile('services'),
      },
    );

    const own: Pick<ClusterOptions, 'databaseUrls' | 'eventStoreUrls'> = {
      databaseUrls: hasRoles(options)
        ? databaseUrls(urls.databaseUrl, secrets.values.databasePassword)
        : undefined,
      eventStoreUrls:
        options.cluster && !options.eventStoreUrl
          ? eventStoreUrls(urls.eventStoreUrl, secrets.values.eventStorePassword)
          : undefined,
    };
    let owner: FirstAccountAccess = { account: null, apiToken: null, phones: [] };
    let metrics: Pick<State, 'metricsUrl' | 'metricsUrls'> = { metricsUrl: null };
    const closed = users && nats.caFile ? { url: nats.url, caFile: nats.caFile, users } : undefined;
    if (!options.partsOnly) {
      metrics = options.cluster
        ? {
            metricsUrl: null,
            metricsUrls: await this.startCluster({
              replicas: options.replicas,
              links: options.links,
              port,
              ports,
              gatewayUrl,
              nats: closed,
              ...own,
            }),
          }
        : await this.startServices(gatewayUrl, ports);
      owner = await progress.timed(
        'account',
        () => firstAccount({ gatewayUrl, simulatorUrl: providers.simulatorUrl, secrets, progress }),
        ({ account, phones }) => `${account?.email ?? 'unknown'}, ${phones.length} phones`,
      );
      this.goOn();
    }
    const state: State = {
      baseUrl: options.partsOnly ? null : baseUrl,
      simulatorUrl: providers.simulatorUrl,
      // There is none yet.
      consoleUrl: null,
      ...metrics,
      ...urls,
      ...(own.databaseUrls && { databaseUrls: own.databaseUrls }),
      ...(closed && {
        natsUrl: closed.url.replace('://', `://operator:${closed.users.passwordOf('operator')}@`),
        natsCaFile: closed.caFile,
      }),
      ...owner,
      pid: process.pid,
    };
    // A start loads and compiles, which delays no request yet.
    if (!options.partsOnly && !options.cluster) {
      this.stopMeasuring = (await import('./services')).measureLoop();
      this.stopCollecting = collectWhenQuiet();
    }
    writeState(dataFolder, state);
    return state;
  }

  /** Returns the metrics URLs, one for each process. */
  private async startCluster({
    gatewayUrl,
    ...given
  }: Omit<ClusterOptions, 'checkout' | 'children' | 'progress' | 'beforeGateways'> & {
    gatewayUrl: string;
  }): Promise<Readonly<Record<string, string>>> {
    const { checkout, children, progress } = this;
    const beforeGateways = (): Promise<void> =>
      this.repeatDeletions(
        given.nats && {
          NATS_URL: given.nats.url,
          NATS_CA_FILE: given.nats.caFile,
          NATS_USER: 'operator',
          NATS_PASSWORD: given.nats.users.passwordOf('operator'),
        },
      );
    const cluster = new Cluster({ checkout, children, progress, beforeGateways, ...given });
    this.closers.push({ stage: 'gateway', close: () => cluster.stopGateways() });
    this.closers.push({ stage: 'services', close: () => cluster.stopServices() });
    if (this.options.newRows) await (await import('./services')).throwAllRowsAway();
    if (given.databaseUrls) await this.track(this.createRoles(given.databaseUrls));
    const metricsUrls = await this.track(cluster.start());
    const logFile = children.logFile('gateway-1');
    await untilReady({
      url: `${gatewayUrl}/healthz/ready`,
      logFile,
      progress,
      goOn: () => this.goOn(),
    });
    this.goOn();
    return metricsUrls;
  }

  private async createRoles(databaseUrls: OfServices): Promise<void> {
    const settings = Object.entries(databaseUrls).map(([service, url]) => [databaseSetting(service), url]);
    await this.children.run({
      part: 'roles',
      command: process.execPath,
      args: [join(this.checkout, 'deploy/entrypoint.mjs'), 'roles'],
      env: { DATABASE_URL: setting('DATABASE_URL'), ...Object.fromEntries(settings) },
    });
  }

  /** Returns the metrics URL, or those of two processes. */
  private async startServices(
    gatewayUrl: string,
    ports: Ports,
  ): Promise<Pick<State, 'metricsUrl' | 'metricsUrls'>> {
    const { progress, children } = this;
    const two = this.options.processes === 2;
    const logFile = children.logFile('services');
    const services = await import('./services');
    this.interrupt = services.waitNoLonger;
    const metrics = await services.serveMetrics();
    this.closers.push({ stage: 'metrics', close: () => metrics.close() });
    await services.startTraces();
    this.closers.push({ stage: 'traces', close: () => services.stopTracing() });
    if (this.options.newRows)
      await progress.timed(
        'rows',
        () => services.throwAllRowsAway(),
        () => 'dropped, to be rebuilt from the log',
      );
    await progress.timed(
      'services',
      () =>
        this.track(
          services.startServices(
            logFile,
            (service) => this.closers.push({ stage: 'services', close: () => service.close() }),
            (part, why) => progress.say(part, why),
            two ? services.answerers : undefined,
          ),
        ),
      (names) => names,
    );
    this.goOn();
    const followers = two ? await this.startFollowers(services.followers, ports) : undefined;
    this.goOn();
    await this.repeatDeletions();
    await progress.timed(
      'gateway',
      async () => {
        const gateway = await this.track(services.startEdge(logFile));
        this.closers.push({ stage: 'gateway', close: () => gateway.close() });
        await untilReady({
          url: `${gatewayUrl}/healthz/ready`,
          logFile,
          progress,
          goOn: () => this.goOn(),
        });
      },
      () => gatewayUrl,
    );
    this.goOn();
    return followers === undefined
      ? { metricsUrl: metrics.url }
      : { metricsUrl: null, metricsUrls: { main: metrics.url, followers } };
  }

  /** The services that a second process has. Returns its metrics URL. */
  private async startFollowers(names: readonly string[], ports: Ports): Promise<string> {
    const { progress, children, checkout } = this;
    const part = 'followers';
    const metricsPort = String(await ports.any(`metrics of ${part}`));
    this.closers.push({ stage: 'services', close: () => children.stop(part) });
    await progress.timed(
      part,
      () =>
        this.track(
          children.start({
            part,
            command: process.execPath,
            args: [join(checkout, 'dist/apps/standalone/src/followers.js')],
            // Writes to its own file from `children`.
            env: { ...process.env, METRICS_PORT: metricsPort, LOG_FILE: '' },
            isReady: (output) => output.includes('"msg":"Service ready"'),
          }),
        ),
      () => `${names.join(', ')} in a second process`,
    );
    return `http://127.0.0.1:${metricsPort}/metrics`;
  }

  private async repeatDeletions(env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { checkout, children, progress, interrupt } = this;
    this.interrupt = () => {
      interrupt();
      void children.stop('deletions');
    };
    await repeatDeletions({ dataFolder: this.options.dataFolder, checkout, children, progress, env });
    this.interrupt = interrupt;
    this.goOn();
  }

  private part<Result extends { origin: string }>(
    name: Stoppable,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.track(
      this.progress
        .timed(name, work, ({ origin }) => origin)
        .catch((error: unknown) => {
          throw error instanceof Stopped ? error : failedIn(name, error, this.children.logFile(name));
        }),
    );
  }

  /** What was found here always counts; what is only a default gives way to the environment. */
  private setEnvironment(found: Record<string, string>, defaults: Record<string, string>): void {
    Object.assign(process.env, found);
    for (const [name, value] of Object.entries(defaults))
      if (settingOf(name) === undefined) process.env[name] = value;
  }

  private goOn(): void {
    if (this.stopping) throw new Stopped();
  }

  private track<Result>(work: Promise<Result>): Promise<Result> {
    this.underWay.add(work);
    const done = (): void => void this.underWay.delete(work);
    work.then(done, done);
    return work;
  }

  /** Stops everything in order, a start that is still under way too. Can be called twice. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  private async stopAll(): Promise<void> {
    removeState(this.options.dataFolder);
    this.stopMeasuring();
    this.stopCollecting();
    this.children.refuse();
    this.interrupt();
    await this.within('what was starting', Promise.allSettled([...this.underWay]));
    for (const stage of stopOrder) {
      const closers = this.closers.filter((closer) => closer.stage === stage);
      await Promise.all(closers.map(({ close }) => this.within(stage, close())));
      await this.children.stop(stage);
    }
    await this.children.close();
    this.lock.release();
  }

  /** Waits up to a timeout: a hanging part must not prevent the stop of the others. */
  private async within(part: string, work: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`did not stop within ${closeWithinMs / 1000} s`), closeWithinMs);
    });
    const trouble = await Promise.race([work.then(() => undefined, String), late]);
    clearTimeout(timer);
    if (trouble) this.progress.say('stop', `${part}: ${trouble}`);
  }

  /** Kills everything at once, in no order. */
  kill(): void {
    this.children.kill();
    removeState(this.options.dataFolder);
    this.lock.release();
  }
}
