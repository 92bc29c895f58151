import { Bus } from '@carillon/bus';
import {
  type Contract,
  type ListPage,
  type ListQuery,
  type Nothing,
  type Operations,
  operationsOf,
  serviceNames,
} from '@carillon/contracts';
import { randomUUID } from 'node:crypto';
import { findInstallation } from './installation';

const timeoutMs = 30_000;

/** Asks a service as the operator of the installation; with an id, on behalf of that account. */
export type Ask = <Input, Output>(
  contract: Contract<Input, Output>,
  input: NoInfer<Input>,
  accountId?: string,
) => Promise<Output>;

/** Connects to the bus of NATS_URL, by default that of the standalone on CARILLON_DATA, until `work` is done. */
export async function asOperator(name: string, work: (ask: Ask) => Promise<void>): Promise<void> {
  findInstallation('NATS_URL');
  const bus = await Bus.open(undefined, name);
  try {
    await work(askOver(bus));
  } finally {
    await bus.close();
  }
}

const askOver =
  (bus: Bus): Ask =>
  async (contract, input, accountId = '') => {
    const commandId = randomUUID();
    const { value } = await bus.ask(contract, input, {
      commandId,
      correlationId: commandId,
      caller: { accountId, process: 'operator' },
      deadline: Date.now() + timeoutMs,
    });
    return value;
  };

/** Asks on behalf of one account. */
export const onBehalfOf =
  (ask: Ask, accountId: string): Ask =>
  (contract, input) =>
    ask(contract, input, accountId);

/** All entries of a list, one list page after the other. */
export async function* allOf<Item>(
  list: (query: ListQuery) => Promise<ListPage<Item>>,
): AsyncGenerator<Item> {
  for (let cursor: string | undefined; ;) {
    const { items, nextCursor } = await list({ limit: 100, ...(cursor !== undefined && { cursor }) });
    yield* items;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

/** Asks every service the same. */
export const ofEachService = <Output>(
  ask: Ask,
  which: (operations: Operations) => Contract<Nothing, Output>,
): Promise<Output[]> => Promise.all(serviceNames.map((service) => ask(which(operationsOf(service)), {})));
