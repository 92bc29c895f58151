import { Accounts, type ProjectionStatus } from '@carillon/contracts';
import { unless } from '@carillon/eventing';
import { existsSync } from 'node:fs';
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endAll } from './account-deletion';
import { exportAccount } from './account-export';
import { deletedFile, deletedIn, noteDeletion } from './deleted-accounts';
import { dataFolder } from './installation';
import { type Ask, ofEachService } from './operator';

/** Rows that have not moved for so long are not waited for. */
const stuckMs = 60_000;

export async function exportToFile(
  ask: Ask,
  { email, id, out }: { readonly email?: string; readonly id?: string; readonly out: string },
): Promise<object> {
  const accountId = await accountOf(ask, email, id);
  // Who has the file reads everything: it is for its user only, and no other file is written over.
  const file = await open(out, 'wx', 0o600);
  let lines = 0;
  try {
    await exportAccount(ask, accountId, async (line) => {
      await file.write(`${line}\n`);
      lines += 1;
    });
    await file.sync();
  } catch (error) {
    await unlink(out);
    throw error;
  } finally {
    await file.close();
  }
  return { ok: true, id: accountId, out, lines };
}

async function accountOf(ask: Ask, email: string | undefined, id: string | undefined): Promise<string> {
  if (email && !id) return (await ask(Accounts.byEmail, { email })).accountId;
  if (id && !email) return id;
  throw new Error('give one of --email and --id');
}

export async function deleteAccount(ask: Ask, id: string): Promise<object> {
  const unreached = note(id);
  await ask(Accounts.remove, { accountId: id });
  const ended = await endAll(ask, id);
  const { ok } = await ask(Accounts.forget, { accountId: id });
  return { ok, id, ended, unreached };
}

/** Deletes the accounts in a file. Those that the log does not know are passed over. */
export async function deleteListed(ask: Ask, list: string): Promise<object> {
  const ids = deletedIn(list);
  for (const id of ids) note(id);
  // Rows name the resources of an account; after a restore they are rebuilt first.
  await untilCurrent(ask);
  // All of them are closed before what is theirs is looked for, which takes longer.
  const closed: string[] = [];
  for (const accountId of ids)
    if (await unless('account.not_found', ask(Accounts.remove, { accountId }))) closed.push(accountId);
  for (const accountId of closed) {
    await endAll(ask, accountId);
    await ask(Accounts.forget, { accountId });
  }
  return { ok: true, deleted: closed.length, unknown: ids.length - closed.length };
}

/**
 * Before an account is deleted: a list that names too many loses nothing that anybody may keep. Gives the folders that
 * it could not write to.
 */
function note(id: string): string[] {
  if (!/^usr_[0-9a-z]+$/.test(id)) throw new Error(`"${id}" is no id of an account`);
  const data = dataFolder();
  const isStandalone = existsSync(data);
  const unreached = isStandalone ? noteDeletion(data, id) : [];
  if (!isStandalone)
    console.error(`Put the output of "accounts deleted" beside your backups: after a restore ${id} is back.`);
  for (const folder of unreached)
    console.error(`Note ${id} in ${join(folder, deletedFile)} yourself: it cannot be written from here.`);
  return unreached;
}

/** The projections whose rows are not as the log is, each with its events; the same text while nothing moves. */
export const behindIn = (projections: readonly ProjectionStatus[]): string =>
  projections
    .filter(({ current }) => !current)
    .map(({ service, projection, eventsBehind }) => `${service} ${projection} ${eventsBehind}`)
    .join(', ');

/** Waits until the rows of all services are as the log is, for as long as they come closer. */
async function untilCurrent(ask: Ask): Promise<void> {
  for (let [before, since] = ['', Date.now()]; ;) {
    const all = await ofEachService(ask, (operations) => operations.projections);
    const behind = behindIn(all.flatMap(({ projections }) => projections));
    if (behind === '') return;
    if (behind !== before) [before, since] = [behind, Date.now()];
    if (Date.now() - since > stuckMs)
      throw new Error(`rows that are not current do not move (service, projection, events): ${behind}`);
    await sleep(200);
  }
}
