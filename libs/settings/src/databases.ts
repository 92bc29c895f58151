import { setting, settingOf } from './settings';

/** The setting with the database of one service, such as `DATABASE_URL_READ_MODELS`. */
export const databaseSetting = (service: string): string =>
  `DATABASE_URL_${service.replaceAll('-', '_').toUpperCase()}`;

/** The database of a service: its own setting, or else `DATABASE_URL`. */
export const databaseUrl = (service: string): string =>
  settingOf(databaseSetting(service)) ?? setting('DATABASE_URL');
