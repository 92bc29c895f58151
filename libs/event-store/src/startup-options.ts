/** Of every connection: Postgres notices after seven seconds that a machine is silent, and ends its transaction. */
const whenSilent = {
  tcp_keepalives_idle: 3,
  tcp_keepalives_interval: 2,
  tcp_keepalives_count: 2,
  tcp_user_timeout: 7_000,
};

/** The settings of a connection, for its startup message. */
export const startupOptions = (settings: Readonly<Record<string, string | number>> = {}): string =>
  Object.entries({ ...settings, ...whenSilent })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
