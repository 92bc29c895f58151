import { type EmulatorProcess, startEmulatorProcess } from '@carillon/testkit';
import { writeAccessLists } from './access-lists';
import { openEventStore } from './event-store-db';
import type { EventStore } from './event-store';

let emulator: EmulatorProcess;
let store: EventStore;
beforeAll(async () => {
  emulator = await startEmulatorProcess();
  store = openEventStore(emulator.url);
});
afterAll(async () => {
  await store?.close();
  await emulator?.stop();
});

it('the access lists let the group of the services use its streams and read all, also when written twice', async () => {
  const other = {
    id: 'a8f0d9a4-6d3c-4b4c-9f0e-0d9c2c6b1a11',
    type: '$metadata',
    data: { owner: 'ops' },
    metadata: { commandId: 'c', correlationId: 'r', accountId: '', actor: {} },
  };
  await store.append('$$$all', [other], 'any');
  await writeAccessLists(emulator.url);
  await writeAccessLists(emulator.url);
  const all = ['$admins', 'carillon'];
  const lists = await store.readLast('$settings');
  expect(lists).toMatchObject({ type: 'update-default-acl', data: { $userStreamAcl: { $w: all, $d: all } } });
  expect(lists?.data).toMatchObject({ $systemStreamAcl: { $r: all, $w: ['$admins'], $mw: ['$admins'] } });
  expect((await store.readLast('$$$all'))?.data).toEqual({ owner: 'ops', $acl: { $r: all } });
});
