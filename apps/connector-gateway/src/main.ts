import { setting } from '@carillon/settings';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { type RunningProgram, startProgram } from './program';
import { readSettings } from './settings';

const fail = (message: string): never => {
  process.stderr.write(`connector-gateway: ${message}\n`);
  process.exit(1);
};
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const parent = process.ppid;
try {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' }, 'exit-with-parent': { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(readFileSync(join(import.meta.dirname, 'help.txt')));
    process.exit(0);
  }
  const log = pino({
    level: setting('LOG_LEVEL', 'info'),
    base: { app: 'connector-gateway' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
  let program: RunningProgram | undefined = undefined;
  let stopping = false;
  const stop = (why: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ why }, 'stopping');
    if (!program) process.exit(0);
    program.stop().then(
      () => process.exit(0),
      (error: unknown) => fail(messageOf(error)),
    );
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
  if (values['exit-with-parent'])
    setInterval(() => process.ppid === parent || stop('the parent process is gone'), 1000).unref();
  program = await startProgram(readSettings(), log);
} catch (error) {
  fail(messageOf(error));
}
