import { OutcomeUnknown, StoreUnavailable } from './event-store';

/** Work of one key, one after the other. */
export class StreamTurns {
  private readonly last = new Map<string, Promise<unknown>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key);
    const mine = before ? before.then(work, (error) => afterFailure(error, work)) : work();
    this.last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === mine) this.last.delete(key);
    }
  }
}

/** After an unreachable store the waiting call fails too; any other failure concerns only the call before it. */
function afterFailure<T>(error: unknown, work: () => Promise<T>): Promise<T> {
  if (error instanceof StoreUnavailable || error instanceof OutcomeUnknown)
    throw new StoreUnavailable('The store did not answer the request before', { cause: error });
  return work();
}
