import { Bus } from '@carillon/bus';
import {
  baseMigrations,
  Database,
  Feed,
  Log,
  type Migration,
  type AnyProjection,
  Projections,
  type Runnable,
  QueueRunner,
} from '@carillon/event-store';
import { KeyRing } from '@carillon/signing';
import {
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type Provider,
  type Type,
} from '@nestjs/common';
import { Clock, processClock } from './clock';
import { healthHandlers } from './health';
import { operationsHandlers } from './operations';
import { type Logger, logger } from './logging';
import { sharedBus, sharedLog, startWaits } from './parts';
import { databaseOf } from './rebuild';
import { replicaOf } from './replica';

export interface ServiceOptions {
  /** Also the queue group, the Postgres schema and the log's `service` field. */
  readonly name: string;
  readonly migrations?: readonly Migration[];
  readonly projections?: readonly Type<AnyProjection>[];
  /** The queues that the service runs. Its projections may write their rows. */
  readonly queues?: readonly Type<Runnable>[];
  /** Further providers that projections and queues need. */
  readonly providers?: readonly Provider[];
}

/** The token of a service's logger: `@Inject(LOGGER) logger: Logger`. */
export const LOGGER = Symbol('logger');

const EVENT_LOG = Symbol('event log');

/** The services whose modules this process has loaded, by `ServiceModule.for`. */
const loaded = new Map<string, ServiceOptions>();

/** Opens the database of a service as soon as Postgres answers. */
const openDatabase = (service: string, migrations: readonly Migration[] = []): Promise<Database> =>
  Database.open({ ...databaseOf(service), migrations }, startWaits.of('postgres'));

/** The migrations of a loaded service's schema. */
export const migrationsOf = (service: string): readonly Migration[] => [
  ...baseMigrations,
  ...(loaded.get(service)?.migrations ?? []),
];

/** Migrates the tables of every loaded service and calls `tell` for each. */
export async function migrateAll(tell: (service: string) => void): Promise<void> {
  for (const { name, migrations = [] } of loaded.values()) {
    const database = await openDatabase(name, migrations);
    await database.close();
    tell(name);
  }
}

/** Gives a service its parts: Bus, Clock, Log, KeyRing, Database, Projections, and its LOGGER. */
@Module({})
export class ServiceModule implements OnModuleDestroy, OnApplicationShutdown {
  constructor(
    @Inject(QueueRunner) private readonly queueRunner: QueueRunner,
    @Inject(Projections) private readonly projections: Projections,
    @Inject(Database) private readonly database: Database,
  ) {}

  static for(options: ServiceOptions): DynamicModule {
    loaded.set(options.name, options);
    const projections = options.projections ?? [];
    const queues = options.queues ?? [];
    const parts: Provider[] = [
      { provide: LOGGER, useFactory: () => logger(options.name) },
      { provide: Clock, useFactory: processClock },
      { provide: Bus, useFactory: () => sharedBus.take() },
      { provide: EVENT_LOG, useFactory: () => sharedLog.take() },
      { provide: Log, useFactory: (shared: { log: Log }) => shared.log, inject: [EVENT_LOG] },
      { provide: Feed, useFactory: (shared: { feed: Feed }) => shared.feed, inject: [EVENT_LOG] },
      { provide: KeyRing, useFactory: (shared: { keyRing: KeyRing }) => shared.keyRing, inject: [EVENT_LOG] },
      {
        provide: Database,
        useFactory: () => openDatabase(options.name, options.migrations),
      },
      ...projections,
      {
        provide: Projections,
        useFactory: (database: Database, log: Log, feed: Feed, target: Logger, ...all: AnyProjection[]) =>
          new Projections(database, log, feed, all, target),
        inject: [Database, Log, Feed, LOGGER, ...projections],
      },
      ...queues,
      {
        provide: QueueRunner,
        useFactory: (database: Database, clock: Clock, target: Logger, ...all: Runnable[]) =>
          new QueueRunner(database, clock, all, target),
        inject: [Database, Clock, LOGGER, ...queues],
      },
    ];
    const providers = [...parts, replicaOf(options.name), ...(options.providers ?? [])];
    return {
      module: ServiceModule,
      global: true,
      controllers: [healthHandlers(options.name), operationsHandlers(options.name)],
      providers,
      exports: providers.map((provider) => (typeof provider === 'function' ? provider : provider.provide)),
    };
  }

  /** Stops the queues first, while the projections still apply what their jobs write. */
  async onModuleDestroy(): Promise<void> {
    await this.queueRunner.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.projections.stop();
    await this.database.close();
    await sharedLog.release();
    await sharedBus.release();
  }
}
