import { keepsTheContract } from './event-store.contract.spec';
import { inMemoryEventStore } from './in-memory';

describe('the event store in memory', () => keepsTheContract(inMemoryEventStore));
