import type {
  AccountDeleted,
  AccountForgotten,
  AccountResumed,
  AccountSuspended,
  AgentService,
} from '@carillon/contracts';
import type { Log } from '@carillon/event-store';
import type { Decider } from '@carillon/eventing';
import { secret } from '@carillon/settings';
import { hashSecret, streamTail } from '@carillon/signing';
import {
  type House,
  type HouseAccount,
  type HouseAnswer,
  onCall,
  reachable,
  type Reachable,
  startHouse,
  streamMetadata,
} from '@carillon/testkit';

export let house: House;
export let creator: HouseAccount;
export let ann: Reachable;
export let teamId: string;
export let groupId: string;

/** Starts a house with an on-call group: Ann, who has a phone, and then the creator of the services. */
export async function begin(): Promise<void> {
  house = await startHouse();
  ann = await reachable(house, 'Ann');
  creator = await house.anotherAccount('Creator');
  ({ teamId, groupId } = await onCall(house, [ann.account, creator]));
}

export const end = (): Promise<void> => house?.close();

interface SendingService {
  readonly id: string;
  readonly service: AgentService;
  /** Sends a payload to its URL. */
  send(payload: unknown, headers?: Record<string, string>): Promise<HouseAnswer>;
  /** Of its events, the oldest first. */
  titles(): Promise<string[]>;
}

/** A new service of an account. */
export async function newService(house: House, account: HouseAccount, body: object): Promise<SendingService> {
  const made = await account.api('POST', '/services', { body });
  expect(made.status).toBe(201);
  const { service, webhookUrl } = made.body;
  const path = new URL(webhookUrl).pathname;
  return {
    id: service.id,
    service,
    send: (payload, headers = {}) => house.http('POST', path, { body: payload, headers }),
    titles: async () =>
      (await account.api('GET', `/events?serviceId=${service.id}`)).body.events
        .map(({ title }: { title: string }) => title)
        .reverse(),
  };
}

/** Where the URLs of services begin that are made without a gateway. */
export const baseUrl = 'https://bells.test/';

export const secretOf = (webhookUrl: string): string => webhookUrl.slice(`${baseUrl}hooks/`.length);
export const hashOf = (webhookUrl: string): string =>
  hashSecret(secret('CARILLON_PEPPER'), secretOf(webhookUrl));

/** What a sender sends, as the gateway hands it on. */
export const sent = (contentType: string, payload: string) => ({
  contentType,
  headers: [],
  payload: Buffer.from(payload).toString('base64'),
});

export type AccountEvent = AccountSuspended | AccountResumed | AccountDeleted | AccountForgotten;

/** The accounts service is another one; here are only its words. */
const accounts: Decider<null, AccountEvent> = {
  category: 'account',
  initial: null,
  evolve: () => null,
  personal: {
    AccountSuspended: [],
    AccountResumed: [],
    AccountDeleted: [],
    AccountForgotten: [],
  },
};

/** Appends an event of the accounts service as it would, and returns the log position. */
export async function tellOfAccount(log: Log, event: AccountEvent): Promise<bigint> {
  const { accountId } = event;
  const metadata = streamMetadata(accountId);
  return (await log.transact(accounts, streamTail(accountId), () => [event], metadata)).position;
}
