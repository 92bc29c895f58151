import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { eventually } from './eventually';
import { copyFolder, findBinaries, startServer, type TestPostgres } from './postgres';
import { findProgram } from './system-package';

const backups = 'pg_basebackup';

/** A server that archives its log, so that it can be set back to a moment after its base backup. */
export interface ArchivingPostgres extends TestPostgres {
  /** Takes a base backup, instead of the one before. */
  backUp(): Promise<void>;
  /** Names the present moment. Resolves when the archive has the log up to it. */
  mark(moment: string): Promise<void>;
  /** Throws the data away and starts from the base backup and the archive, as it was at a moment. */
  restore(moment: string): Promise<void>;
}

/** As `startPostgres`, with an archive. Uses `pg_basebackup`, which the npm package with the server does not have. */
export async function startArchivingPostgres(): Promise<ArchivingPostgres> {
  const server = await startServer(await binaries(), (folder) => [
    'archive_mode=on',
    // A file appears in the archive whole or not at all.
    `archive_command=mkdir -p ${folder}/archive && cp %p ${folder}/archive/%f.part && mv ${folder}/archive/%f.part ${folder}/archive/%f`,
    `restore_command=cp ${folder}/archive/%f %p`,
    'max_connections=200',
  ]);
  const { url, folder, data } = server;
  const base = join(folder, 'base');
  return {
    ...server,
    backUp: async () => {
      rmSync(base, { recursive: true, force: true });
      await server.run(backups, '-d', url, '-D', base, '--checkpoint=fast');
    },
    mark: async (moment) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        await client.query('SELECT pg_create_restore_point($1)', [moment]);
        const { rows } = await client.query('SELECT pg_walfile_name(pg_switch_wal()) AS file');
        await eventually(
          async () => {
            const archived = await client.query(
              'SELECT 1 FROM pg_stat_archiver WHERE last_archived_wal >= $1',
              [rows[0].file],
            );
            return archived.rows.length > 0 || undefined;
          },
          () => `${rows[0].file} was not archived`,
          60_000,
        );
      } finally {
        await client.end();
      }
    },
    restore: async (moment) => {
      await server.crash('kill');
      rmSync(data, { recursive: true });
      await copyFolder(base, data);
      writeFileSync(join(data, 'recovery.signal'), '');
      await server.start([
        // Nobody reads rows that are not yet those of the moment.
        'hot_standby=off',
        `recovery_target_name=${moment}`,
        'recovery_target_timeline=current',
        'recovery_target_action=promote',
      ]);
    },
  };
}

async function binaries(): Promise<string> {
  try {
    return findBinaries(backups);
  } catch {
    await findProgram({ what: `Postgres with ${backups}`, names: [backups], packages: ['postgresql'] });
    return findBinaries(backups);
  }
}
