// node tools/rebuild.mjs <service> <projection>, such as `read-models inbox`: rebuilds the rows of a projection from
// the log while the service runs, and switches to them. Takes DATABASE_URL, NATS_URL, EVENTSTORE_URL and the keys
// of docs/settings.md from the environment, else those of the standalone that runs on CARILLON_DATA.
// node tools/rebuild.mjs --all: throws away the rows of every service while none of them runs, to be rebuilt at the
// next start. Takes DATABASE_URL from the environment; for a standalone it is `npm start -- --new-rows`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installDependencies, root } from './setup.mjs';

const [service, projection] = process.argv.slice(2);
const all = service === '--all';
if (all ? !process.env.DATABASE_URL : !service || !projection) {
  console.error('usage: node tools/rebuild.mjs <service> <projection>');
  console.error('       DATABASE_URL=… node tools/rebuild.mjs --all    (while no service runs)');
  process.exit(2);
}
await installDependencies();
await (await import('./build.mjs')).build();

if (!process.env.DATABASE_URL && !process.env.DATABASE_URL_FILE) {
  const data = process.env.CARILLON_DATA ?? join(root, '.carillon');
  try {
    const state = JSON.parse(readFileSync(join(data, 'standalone.json'), 'utf8'));
    const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
    Object.assign(process.env, {
      DATABASE_URL: state.databaseUrl,
      NATS_URL: state.natsUrl,
      ...(state.natsCaFile && { NATS_CA_FILE: state.natsCaFile }),
      EVENTSTORE_URL: state.eventStoreUrl,
      CARILLON_BASE_URL: state.baseUrl,
      CARILLON_PEPPER: secrets.pepper,
      CARILLON_KEYS: secrets.keys,
      CARILLON_CALLER_KEY: secrets.callerKey,
      CARILLON_AUDIT_KEY: secrets.auditKey,
    });
  } catch {
    console.error(`No standalone runs on ${data}, and DATABASE_URL is not set.`);
    process.exit(1);
  }
}
process.env.LOG_LEVEL ??= 'warn';

const { rebuildProjection } = await import('../dist/libs/runtime/src/rebuild.js');
const modules = await import(`../dist/apps/${service}/src/${service}.module.js`);
const [module] = Object.values(modules);
const started = Date.now();
const { events } = await rebuildProjection({ name: service, module, projection });
console.log(
  `${service} ${projection}: rebuilt from ${events} events in ${((Date.now() - started) / 1000).toFixed(1)} s`,
);
process.exit(0);
