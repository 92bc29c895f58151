import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BadUsage, parsed } from './command-line';
import { deletedFile } from './deleted-accounts';

/** Where the keys of a backup are unless they are named. */
const keysFileOf = (file: string): string => `${file}.keys.json`;
const text = { type: 'string' } as const;

export interface BackupOptions {
  readonly out: string;
  readonly keys: string;
}

/** Reads the command line of backup.ts. Throws `BadUsage`. */
export function backupOptions(args: string[]): BackupOptions {
  const { values } = parsed(() => parseArgs({ args, options: { out: text, keys: text } }));
  if (!values.out) throw new BadUsage();
  const out = resolve(values.out);
  return { out, keys: resolve(values.keys ?? keysFileOf(out)) };
}

export interface RestoreOptions {
  readonly file: string;
  readonly keys: string;
  readonly data: string;
  /** The list of accounts that were deleted since; undefined where none ever was. */
  readonly deleted: string | undefined;
}

/** Reads the command line of restore.ts. Throws `BadUsage`. */
export function restoreOptions(args: string[]): RestoreOptions {
  const options = { in: text, keys: text, data: text, deleted: text };
  const { values } = parsed(() => parseArgs({ args, options }));
  if (!values.in || !values.data) throw new BadUsage();
  const file = resolve(values.in);
  const list = values.deleted ?? join(dirname(file), deletedFile);
  return {
    file,
    keys: resolve(values.keys ?? keysFileOf(file)),
    data: resolve(values.data),
    deleted: list === 'none' ? undefined : resolve(list),
  };
}
