import { type EmulatorProcess, startEmulatorProcess } from '@carillon/testkit';
import { keepsTheContract } from './event-store.contract';
import { openEventStore } from './event-store-db';

let emulator: EmulatorProcess;
beforeAll(async () => {
  emulator = await startEmulatorProcess();
});
afterAll(() => emulator.stop());

describe('the event store over the wire', () => keepsTheContract(() => openEventStore(emulator.url)));
