import 'reflect-metadata';
import { serviceNames } from '@carillon/contracts';
import { Projections, throwRowsAway } from '@carillon/event-store';
import { databaseUrl } from '@carillon/settings';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { logger, NestLog } from './logging';

/** The Postgres schema of a service. */
const schemaOf = (service: string): string => service.replaceAll('-', '_');

/** Where the rows of a service are. */
export const databaseOf = (service: string): { readonly url: string; readonly schema: string } => ({
  url: databaseUrl(service),
  schema: schemaOf(service),
});

/** Deletes the rows of every service; the next start rebuilds them from the log. */
export const throwAllRowsAway = (): Promise<void> => throwRowsAway(serviceNames.map(databaseOf));

/** Rebuilds one projection of a service from the log, beside the running service, and switches to the new rows. */
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
