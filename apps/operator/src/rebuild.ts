// node tools/rebuild.mjs <service> <projection>, such as `read-models inbox`: rebuilds the rows of a projection from
// the log while the service runs, and switches to them. Takes DATABASE_URL, NATS_URL, EVENTSTORE_URL and the keys of
// docs/settings.md from the environment, else those of the standalone that runs on CARILLON_DATA.
// node tools/rebuild.mjs --all: throws away the rows of every service while none of them runs, to be rebuilt at the
// next start. Takes DATABASE_URL or those of all services from the environment; for a standalone it is `npm start --
// --new-rows`.
import { serviceNames } from '@carillon/contracts';
import { databaseSetting, isSet } from '@carillon/settings';
import { BadUsage, runProgram } from './command-line';
import { findInstallation } from './installation';
import { modules } from './modules';
import { rebuildOptions } from './rebuild-options';

const usage = `usage: node tools/rebuild.mjs <service> <projection>
       DATABASE_URL=… node tools/rebuild.mjs --all    (while no service runs)`;

await runProgram(usage, async () => {
  const what = rebuildOptions(process.argv.slice(2));
  const services = what === 'all' ? serviceNames : [what.service];
  if (!services.every((each) => isSet(databaseSetting(each)))) {
    if (what === 'all' && !isSet('DATABASE_URL')) throw new BadUsage();
    findInstallation('DATABASE_URL');
  }
  if (!isSet('LOG_LEVEL')) process.env['LOG_LEVEL'] = 'warn';
  // The log of a service reads its settings while it is loaded.
  const { rebuildProjection, throwAllRowsAway } = await import('@carillon/runtime');
  if (what === 'all') {
    await throwAllRowsAway();
    console.log('the rows of every service are gone: the next start rebuilds them');
    return;
  }
  const { service, projection } = what;
  const started = Date.now();
  const module = await modules[service]();
  const { events } = await rebuildProjection({ name: service, module, projection });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`${service} ${projection}: rebuilt from ${events} events in ${seconds} s`);
});
// What the module of a service has opened, such as timers, would keep the process.
process.exit();
