import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Children } from './child';
import type { Progress } from './progress';

const part = 'deletions';
/** What the operator's tools need to come to the bus. */
const forTheBus = /^(NATS_|CARILLON_CALLER_KEY)/;
/** Rows are rebuilt from the whole log first. The program gives up by itself when they do not move. */
const limitMs = 7 * 24 * 3_600_000;

export interface DeletionOptions {
  readonly dataFolder: string;
  readonly checkout: string;
  readonly children: Children;
  readonly progress: Progress;
  /** How the operator comes to a closed bus. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Deletes again who was deleted after the backup that the operator's `restore` has restored was made: its log still has
 * their tokens, the URLs of their services and whatever else is theirs. Said when all services run, before anybody is
 * served. A start that was cut off goes on at the next one.
 */
export async function repeatDeletions(options: DeletionOptions): Promise<void> {
  const { dataFolder, checkout, children, progress, env } = options;
  const list = join(dataFolder, 'deletions-pending');
  if (!existsSync(list)) return;
  await progress.timed(
    part,
    () =>
      children.run(
        {
          part,
          command: process.execPath,
          args: [join(checkout, 'dist/apps/operator/src/admin.js'), 'accounts', 'delete', `--list=${list}`],
          env: {
            ...Object.fromEntries(Object.entries(process.env).filter(([name]) => forTheBus.test(name))),
            CARILLON_DATA: dataFolder,
            ...env,
          },
        },
        limitMs,
      ),
    () => 'of accounts that the backup still had are done again',
  );
  rmSync(list);
}
