import 'reflect-metadata';
import { AnswerSerializer, natsOptions, reportFailures, tellWhenBack } from '@carillon/bus';
import { Projections, Works } from '@carillon/event-store';
import type { NatsConnection } from '@nats-io/transport-node';
import type { INestMicroservice, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveMetrics } from '@carillon/metrics';
import { type Logger, logger, NestLog } from './logging';
import { measureService } from './measure';

/** How long a start waits for rows that are behind. */
const timeoutMs = 300;

export interface RunningService {
  readonly name: string;
  /** One of its parts, such as `Projections`. */
  get<Part>(token: symbol | { prototype: Part }): Part;
  close(): Promise<void>;
}

reportFailures((subject, error, context) => {
  logger('bus').error({ subject, correlationId: context?.correlationId, err: error }, 'A request failed');
});

/** Starts one service: its handlers on NATS in the queue group of its name, its projections on the log. */
export async function startService(options: { name: string; module: Type }): Promise<RunningService> {
  const serializer = new AnswerSerializer((bytes, limit) =>
    logger('bus').error({ bytes, limit }, 'An answer is larger than NATS takes'),
  );
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(options.module, {
    transport: Transport.NATS,
    options: {
      ...natsOptions(options.name),
      queue: options.name,
      gracefulShutdown: true,
      gracePeriod: 50,
      serializer,
    },
    logger: new NestLog(logger(options.name)),
    abortOnError: false,
  });
  await app.get(Projections).start();
  await app.listen();
  const connection = app.unwrap<NatsConnection>();
  serializer.sendOver(connection);
  // Until the server has seen the subscriptions, the first request would find nobody.
  await connection.flush();
  void tellWhenBack(connection, options.name);
  await startWork(app, logger(options.name));
  const stopMeasuring = measureService(options.name, {
    projections: app.get(Projections),
    works: app.get(Works),
  });
  return {
    name: options.name,
    get: (token) => app.get(token as Type, { strict: false }),
    close: () => {
      stopMeasuring();
      return app.close();
    },
  };
}

/**
 * Work begins when the rows have caught up once: until then a row may stand for what was done long ago. A start does
 * not wait long for that, so that the service can say how far it is.
 */
async function startWork(app: INestMicroservice, target: Logger): Promise<void> {
  const begin = async (): Promise<void> => {
    await app.get(Projections).caughtUpOnce();
    for (;;) {
      try {
        return await app.get(Works).start();
      } catch (error) {
        target.warn({ err: error }, 'Work cannot be begun yet');
        await sleep(1_000, undefined, { ref: false });
      }
    }
  };
  await Promise.race([begin(), sleep(timeoutMs, undefined, { ref: false })]);
}

/** Runs a service as a process of its own until SIGTERM or Ctrl-C. */
export async function runService(options: { name: string; module: Type }): Promise<void> {
  const target = logger(options.name);
  let unready = (): string[] => ['it starts'];
  const metrics = await serveMetrics(async () => unready());
  const service = await startService(options);
  unready = () =>
    service
      .get(Projections)
      .standings()
      .flatMap(({ projection, reason }) => (reason ? [`${projection}: ${reason}`] : []));
  const stop = async (signal: string): Promise<void> => {
    target.info({ signal }, 'The service stops');
    await service.close();
    await metrics.close();
    process.exit(0);
  };
  process.once('SIGTERM', () => void stop('SIGTERM'));
  process.once('SIGINT', () => void stop('SIGINT'));
  target.info('The service is ready');
}
