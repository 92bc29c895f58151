import type { ServiceName } from '@carillon/contracts';
import type { Type } from '@nestjs/common';

/** The module of each service, loaded when it is needed: a service reads the environment while it is loaded. */
export const modules: Readonly<Record<ServiceName, () => Promise<Type>>> = {
  accounts: async () => (await import('@carillon/app-accounts')).AccountsModule,
  notifications: async () => (await import('@carillon/app-notifications')).NotificationsModule,
  interactions: async () => (await import('@carillon/app-interactions')).InteractionsModule,
  activities: async () => (await import('@carillon/app-activities')).ActivitiesModule,
  webhooks: async () => (await import('@carillon/app-webhooks')).WebhooksModule,
  push: async () => (await import('@carillon/app-push')).PushModule,
  'read-models': async () => (await import('@carillon/app-read-models')).ReadModelsModule,
  teams: async () => (await import('@carillon/app-teams')).TeamsModule,
  connectors: async () => (await import('@carillon/app-connectors')).ConnectorsModule,
};
