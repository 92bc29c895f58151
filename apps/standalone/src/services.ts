import 'reflect-metadata';
import { AccountsModule } from '@carillon/app-accounts';
import { ActivitiesModule } from '@carillon/app-activities';
import { ConnectorsModule } from '@carillon/app-connectors';
import { startGateway } from '@carillon/app-gateway';
import { InteractionsModule } from '@carillon/app-interactions';
import { NotificationsModule } from '@carillon/app-notifications';
import { PushModule } from '@carillon/app-push';
import { ReadModelsModule } from '@carillon/app-read-models';
import { TeamsModule } from '@carillon/app-teams';
import { WebhooksModule } from '@carillon/app-webhooks';
import { type ServiceName, serviceNames } from '@carillon/contracts';
import { serveMetrics } from '@carillon/metrics';
import {
  logger,
  measureEventLoop,
  type RunningService,
  sharedLog,
  startService,
  startWaits,
  throwAllRowsAway,
} from '@carillon/runtime';
import { startTracing, stopTracing } from '@carillon/tracing';
import type { Type } from '@nestjs/common';
import { failedIn } from './progress';

/** What is started: each service that readiness asks for, so that none is forgotten. */
export const modules: Readonly<Record<ServiceName, Type>> = {
  accounts: AccountsModule,
  notifications: NotificationsModule,
  interactions: InteractionsModule,
  activities: ActivitiesModule,
  webhooks: WebhooksModule,
  push: PushModule,
  'read-models': ReadModelsModule,
  teams: TeamsModule,
  connectors: ConnectorsModule,
};

/** Those that a second process has, if there is one: most of their work follows the log. */
export const followers: readonly ServiceName[] = ['read-models', 'push', 'webhooks'];

/** The others, which answer requests. */
export const answerers: readonly ServiceName[] = serviceNames.filter((name) => !followers.includes(name));

/**
 * Starts services in this process. The environment must be complete before this file is loaded: the services
 * read it. Each is given to `started` as soon as it runs, so that it can be stopped when another fails.
 */
export async function startServices(
  logFile: string,
  started: (service: RunningService) => void,
  waiting: typeof startWaits.tell = () => {},
  names: readonly ServiceName[] = serviceNames,
): Promise<string> {
  startWaits.tell = waiting;
  // All of them need it: what is wrong with it is told once, in its own name.
  await sharedLog.take().catch((error: unknown) => {
    throw failedIn('event-store', error);
  });
  try {
    await Promise.all(
      names.map(async (name) => {
        try {
          started(await startService({ name, module: modules[name] }));
        } catch (error) {
          throw failedIn(name, error, logFile);
        }
      }),
    );
  } finally {
    await sharedLog.release();
  }
  return names.join(', ');
}

export { serveMetrics, stopTracing, throwAllRowsAway };

/** One for all that is in this process. */
export const startTraces = (): Promise<void> =>
  startTracing('standalone', (fields, message) => logger('standalone').warn(fields, message));

/** What holds this process up, from now on. Gives how to stop. */
export const measureLoop = (): (() => void) => measureEventLoop('standalone');

/** Ends a start that waits for the event store or Postgres. */
export const waitNoLonger = (): void => startWaits.over.abort();

/** Starts the gateway, which answers when all services can. */
export async function startEdge(logFile: string): Promise<{ url: string; close(): Promise<void> }> {
  try {
    return await startGateway();
  } catch (error) {
    throw failedIn('gateway', error, logFile);
  }
}
