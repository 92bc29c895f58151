import { checkoutOf } from '@carillon/settings';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Stopped } from './child';
import { BadOption, helpText } from './command-line';
import { nodeIs } from './node-versions';
import { readOptions } from './options';
import { type PartFailed, failedIn, Progress } from './progress';
import { Standalone } from './standalone';
import type { State } from './state-file';

/** npm passes Ctrl-C on to a process that has got it already: so soon after the first, it is the same. */
const sameSignalMs = 500;

async function main(): Promise<void> {
  const began = Date.now();
  const progress = new Progress();
  const checkout = checkoutOf(import.meta.dirname, existsSync);
  const options = readOptions(process.argv.slice(2), process.env, checkout);
  if (options.help) {
    process.stdout.write(helpText());
    return;
  }
  process.title = 'carillon';
  // The reader of the output may be gone, or the disk full: no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  const tellFailure = ({ part, reason, logFile }: PartFailed): void => {
    progress.say(part, `FAILED: ${reason}`);
    if (logFile && existsSync(logFile)) progress.say('', `more in ${logFile}`);
  };
  let ending = false;
  const end = (code: number): void => {
    if (ending) return;
    ending = true;
    void standalone.stop().then(() => {
      progress.say('stopped', '');
      process.exit(code);
    });
  };
  const fail = (failure: PartFailed): void => {
    if (!ending) tellFailure(failure);
    end(1);
  };

  const standalone = await Standalone.on(options, checkout, progress);
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = Date.now();
        progress.say('stopping', 'in order; once more ends it at once');
        end(0);
      } else if (Date.now() - firstAt > sameSignalMs) {
        standalone.kill();
        process.exit(1);
      }
    });
  if (options.exitWithParent) {
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && end(0), 500).unref();
  }
  process.on('uncaughtException', (error) => fail(failedIn('standalone', error)));
  process.on('unhandledRejection', (error) => fail(failedIn('standalone', error)));

  progress.say('node', nodeIs(process.versions.node));
  try {
    const state = await standalone.start();
    tellReady(progress, state, join(options.dataFolder, 'standalone.json'), Date.now() - began);
  } catch (error) {
    if (!(error instanceof Stopped)) fail(failedIn('standalone', error));
  }
}

function tellReady(
  progress: Progress,
  { baseUrl, simulatorUrl, account }: State,
  file: string,
  tookMs: number,
): void {
  progress.say('ready', `in ${(tookMs / 1000).toFixed(1)} s; one Ctrl-C stops everything`);
  if (baseUrl) progress.say('', `service    ${baseUrl}`);
  if (baseUrl) progress.say('', `console    ${baseUrl.replace(/\/+$/, '')}/console/`);
  if (simulatorUrl) progress.say('', `phones     ${simulatorUrl}/`);
  if (account) progress.say('', `owner      ${account.email}`);
  progress.say('', `addresses, password and API token are in ${file}`);
}

try {
  await main();
} catch (error) {
  const progress = new Progress();
  if (error instanceof BadOption) progress.say('standalone', error.message);
  else {
    const { part, reason } = failedIn('standalone', error);
    progress.say(part, `FAILED: ${reason}`);
  }
  process.exit(1);
}
