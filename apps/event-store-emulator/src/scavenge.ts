import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { sendUnaryData, ServerUnaryCall, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { EmulatorAccess } from './access';
import { operations } from './protocol';
import type { Store } from './store';
import { error } from './streams';

/** The streams that are looked at, and the events that are removed, in one turn of the event loop. */
const AT_ONCE = 500;

/**
 * The start of a scavenge, as the real server answers it: at once, while it goes on. A second one that comes meanwhile
 * is told the first one's id.
 */
export function operationsService(
  store: Store,
  access: EmulatorAccess,
  onFatal: (error: Error) => void,
): UntypedServiceImplementation {
  let running: string | undefined;
  const startScavenge = (call: ServerUnaryCall<unknown, unknown>, done: sendUnaryData<unknown>): void => {
    const refused = access.check(call.metadata);
    if (refused) return done(error(refused));
    const { STARTED, INPROGRESS } = operations.ScavengeResp.ScavengeResult;
    const answer = new operations.ScavengeResp();
    answer.setScavengeResult(running === undefined ? STARTED : INPROGRESS);
    answer.setScavengeId((running ??= begin()));
    done(null, answer);
  };
  const begin = (): string => {
    void scavenge(store)
      .catch(onFatal)
      .finally(() => (running = undefined));
    return randomUUID();
  };
  return { startScavenge };
}

/** Removes what no reader of a stream can see, but for the newest event of each stream. */
async function scavenge(store: Store): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined;) {
    after = store.scavenge(after, AT_ONCE);
    await nextTurn();
  }
}
