import { randomUUID } from 'node:crypto';
import { openEventStore } from './event-store-db';
import { isFields, type NewEvent } from './event-store';

/** The users of the services are in this group of the event store. */
export const storeGroup = 'carillon';

/**
 * Lets the group of the services read and write all streams but those of the store itself, and read `$all`. The user in
 * the URL is one of `$admins`. An access list names whole streams only, so that no service is confined to its own.
 */
export async function writeAccessLists(url: string): Promise<void> {
  const [admins, all] = [['$admins'], ['$admins', storeGroup]];
  const store = openEventStore(url);
  try {
    const lists = {
      $userStreamAcl: { $r: all, $w: all, $d: all, $mr: all, $mw: all },
      $systemStreamAcl: { $r: all, $w: admins, $d: admins, $mr: admins, $mw: admins },
    };
    await store.append('$settings', [event('update-default-acl', lists)], 'any');
    const metadata = await store.readLast('$$$all');
    const kept = isFields(metadata?.data) ? metadata.data : {};
    await store.append('$$$all', [event('$metadata', { ...kept, $acl: { $r: all } })], 'any');
  } finally {
    await store.close();
  }
}

function event(type: string, data: object): NewEvent {
  const id = randomUUID();
  const metadata = { commandId: id, correlationId: id, accountId: '', actor: { process: 'operator.roles' } };
  return { id, type, data, metadata };
}
