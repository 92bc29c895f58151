import type { Contract } from '@carillon/contracts';
import { type Actor, type EventMetadata, type Origin, Refused } from '@carillon/eventing';
import { newId } from '@carillon/signing';
import { randomUUID } from 'node:crypto';

/** A log position that the answer includes. */
type After = bigint | string | undefined;

/** What a request says besides its account. */
interface Asking {
  readonly after?: After;
  readonly caller?: Actor & { readonly tokenName?: string; readonly origin?: Origin };
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
}

interface AskedBus {
  ask<Input, Output>(
    contract: Contract<Input, Output>,
    input: Input,
    context: ReturnType<typeof contextOf>,
  ): Promise<{ readonly value: Output }>;
}

/** The id of an account that no other test has. */
export const newAccount = (): string => newId('usr', Date.now());

/** The context of a request of an account, with a deadline that a slow machine meets. */
export function contextOf(accountId: string, asking?: After | Asking) {
  const { after, caller, ...more } = typeof asking === 'object' ? asking : { after: asking };
  return {
    commandId: randomUUID(),
    correlationId: 'test',
    caller: { accountId, ...caller },
    deadline: Date.now() + 30_000,
    ...(after !== undefined && { after: String(after) }),
    ...more,
  };
}

/** Asks as an account. It looks for the bus at each request, as tests open it later: `const ask = askOn(() => bus)`. */
export const askOn =
  (bus: () => AskedBus) =>
  async <Input, Output>(
    accountId: string,
    contract: Contract<Input, Output>,
    input: Input,
    asking?: After | Asking,
  ): Promise<Output> =>
    (await bus().ask(contract, input, contextOf(accountId, asking))).value;

/** The metadata of events that a test appends to a stream of an account or a team. */
export const streamMetadata = (accountId: string, actor: Actor = {}): EventMetadata => ({
  commandId: randomUUID(),
  correlationId: 'test',
  accountId,
  actor,
});

/** The reason of a refusal, or `done`. Throws any other error. */
export async function outcomeOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return 'done';
  } catch (error) {
    if (error instanceof Refused) return error.reason;
    throw error;
  }
}
