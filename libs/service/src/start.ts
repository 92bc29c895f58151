import 'reflect-metadata';
import { natsOptions, reportFailures } from '@carillon/bus';
import { Projections, Works } from '@carillon/event-store';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { logger, NestLog } from './logging';

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
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(options.module, {
    transport: Transport.NATS,
    options: {
      ...natsOptions(options.name),
      queue: options.name,
      gracefulShutdown: true,
      gracePeriod: 50,
    },
    logger: new NestLog(logger(options.name)),
    abortOnError: false,
  });
  await app.get(Projections).start();
  await app.listen();
  // Until the server has seen the subscriptions, the first request would find nobody.
  await app.unwrap<NatsConnection>().flush();
  await app.get(Works).start();
  return {
    name: options.name,
    get: (token) => app.get(token as Type, { strict: false }),
    close: () => app.close(),
  };
}

/** Runs a service as a process of its own until SIGTERM or Ctrl-C. */
export async function runService(options: { name: string; module: Type }): Promise<void> {
  const target = logger(options.name);
  const service = await startService(options);
  const stop = async (signal: string): Promise<void> => {
    target.info({ signal }, 'The service stops');
    await service.close();
    process.exit(0);
  };
  process.once('SIGTERM', () => void stop('SIGTERM'));
  process.once('SIGINT', () => void stop('SIGINT'));
  target.info('The service is ready');
}
