// Whether this container is ready: a service and the gateway say so on METRICS_PORT, a standalone where it serves. The
// other programs have nothing to ask: they end when they cannot go on.
import { readFileSync } from 'node:fs';
import { programs, services } from './entrypoint.mjs';

/** What the first process became, however it was started. */
const words = readFileSync('/proc/1/cmdline', 'utf8').split(/[\0 ]+/);
const name = words.find((word) => Object.hasOwn(programs, word)) ?? 'standalone';

const urlOf = (port, path) => `http://127.0.0.1:${port}${path}`;
const { PORT = 8080, METRICS_PORT = 9464 } = process.env;
let url;
if (name === 'standalone') url = urlOf(PORT, '/healthz/ready');
else if (name === 'gateway' || services.includes(name)) url = urlOf(METRICS_PORT, '/healthz/ready');
if (url === undefined) process.exit(0);
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(3_000) });
  if (!answer.ok) console.error(await answer.text());
  process.exit(answer.ok ? 0 : 1);
} catch (error) {
  console.error(`${url}: ${error.message}`);
  process.exit(1);
}
