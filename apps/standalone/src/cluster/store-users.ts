import { createHmac } from 'node:crypto';
import { serviceNames } from '@carillon/contracts';

/** Values by the names of services. */
export type OfServices = Readonly<Record<string, string>>;

const roleOf = (service: string): string => `carillon_${service.replaceAll('-', '_')}`;
const userOf = (service: string): string => `carillon-${service}`;
const passwordOf = (user: string, secret: string): string =>
  createHmac('sha256', secret).update(user).digest('base64url');

/** The URL of Postgres for each service, with a role of its own. */
export const databaseUrls = (url: string, secret: string): OfServices => urls(url, secret, roleOf);

/** The URL of the event store for each service, with a user of its own. */
export const eventStoreUrls = (url: string, secret: string): OfServices => urls(url, secret, userOf);

/** The users of the event store, with their passwords. */
export const eventStoreUsers = (secret: string): OfServices =>
  Object.fromEntries(serviceNames.map(userOf).map((user) => [user, passwordOf(user, secret)]));

const urls = (url: string, secret: string, nameOf: (service: string) => string): OfServices =>
  Object.fromEntries(
    serviceNames.map((service) => {
      const own = new URL(url);
      own.username = nameOf(service);
      own.password = passwordOf(own.username, secret);
      return [service, own.href];
    }),
  );
