import 'reflect-metadata';
import { Projections } from '@carillon/event-store';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { logger, NestLog } from './logging';

/** Makes one projection of a service anew from the log, beside the running service, and switches to the new rows. */
export async function rebuildProjection(options: {
  readonly name: string;
  readonly module: Type;
  readonly projection: string;
}): Promise<{ events: number }> {
  const app = await NestFactory.createApplicationContext(options.module, {
    logger: new NestLog(logger(options.name)),
    abortOnError: false,
  });
  try {
    return await app.get(Projections).rebuild(options.projection);
  } finally {
    await app.close();
  }
}
