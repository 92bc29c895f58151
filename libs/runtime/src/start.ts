import 'reflect-metadata';
import { Bus, BusServer, reportFailures } from '@carillon/bus';
import { Database, Projections, QueueRunner } from '@carillon/event-store';
import type { INestMicroservice, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveMetrics } from '@carillon/metrics';
import { startTracing, stopTracing } from '@carillon/tracing';
import { hindrancesOf } from './health';
import { type Logger, logger, NestLog, logReady } from './logging';
import { measureEventLoop, measureService } from './measure';
import { sharedBus } from './parts';

/** The maximum time that a start waits for rows that are behind. */
const timeoutMs = 300;

interface RunOptions {
  readonly name: string;
  readonly module: Type;
}

export interface RunningService {
  readonly name: string;
  /** One of its parts, such as `Projections`. */
  get<Part>(token: symbol | { prototype: Part }): Part;
  close(): Promise<void>;
}

reportFailures((subject, error, context) => {
  const { correlationId, traceparent } = context ?? {};
  logger('bus').error(
    { subject, correlationId, traceparent, err: error },
    'A bus request failed unexpectedly: its caller gets an error',
  );
});

/** Starts one service: its handlers on NATS in the queue group of its name, its projections on the log. */
export async function startService(options: RunOptions): Promise<RunningService> {
  const bus = await sharedBus.take();
  try {
    const strategy = new BusServer(bus, options.name, (bytes, limit) =>
      logger('bus').error({ bytes, limit }, 'A reply exceeds the NATS message limit'),
    );
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(options.module, {
      strategy,
      logger: new NestLog(logger(options.name)),
      abortOnError: false,
    });
    await app.get(Projections).start();
    await app.listen();
    await startWork(app, logger(options.name));
    const stopMeasuring = measureService(options.name, {
      projections: app.get(Projections),
      queueRunner: app.get(QueueRunner),
    });
    return {
      name: options.name,
      get: (token) => app.get(token as Type, { strict: false }),
      close: async () => {
        stopMeasuring();
        await app.close().finally(() => sharedBus.release());
      },
    };
  } catch (error) {
    await sharedBus.release();
    throw error;
  }
}

/**
 * Starts the queues when the rows have caught up once: until then a row may stand for a job done long ago. The start
 * does not wait long for that, so that the service can report its readiness.
 */
async function startWork(app: INestMicroservice, target: Logger): Promise<void> {
  const begin = async (): Promise<void> => {
    await app.get(Projections).caughtUpOnce();
    for (;;) {
      try {
        return await app.get(QueueRunner).start();
      } catch (error) {
        target.warn({ err: error }, 'Failed to start the queues: trying again');
        await sleep(1_000, undefined, { ref: false });
      }
    }
  };
  await Promise.race([begin(), sleep(timeoutMs, undefined, { ref: false })]);
}

/** Runs a service as a process of its own until SIGTERM or Ctrl-C. */
export const runService = (options: RunOptions): Promise<void> => runServices(options.name, [options]);

/** Runs several services in a process of their own, which logs as `name`, until SIGTERM or Ctrl-C. */
export async function runServices(name: string, services: readonly RunOptions[]): Promise<void> {
  const target = logger(name);
  let unready = async (): Promise<string[]> => ['it starts'];
  const metrics = await serveMetrics(() => unready());
  await startTracing(name, (fields, message) => target.warn(fields, message));
  const running = await Promise.all(services.map(startService));
  const [bus] = running.map((service) => service.get(Bus));
  const hindrances = async (): Promise<string[]> =>
    (
      await Promise.all(
        running.map((service) => hindrancesOf(service.get(Database), service.get(Projections))),
      )
    )
      .flat()
      .map(({ projection, reason }) => (projection === undefined ? reason : `${projection}: ${reason}`));
  unready = async () => [...((await bus?.alive()) ? [] : ['NATS does not answer']), ...(await hindrances())];
  const stopMeasuring = measureEventLoop(name);
  const stop = async (signal: string): Promise<void> => {
    unready = async () => ['it is being stopped'];
    stopMeasuring();
    target.info({ signal }, 'Service stopping');
    await Promise.all(running.map((service) => service.close()));
    await stopTracing();
    await metrics.close();
    process.exit(0);
  };
  process.once('SIGTERM', () => void stop('SIGTERM'));
  process.once('SIGINT', () => void stop('SIGINT'));
  logReady(target, 'Service ready');
}
