// Everything that the installation holds of one account, as lines of JSON, `{"kind":…,"data":…}`: for `account export`
// of admin.ts. First what each service shows to the account itself, so that nothing is in it that the account could not
// see; then each event of the account in the log, its text readable and its secrets left out.
import {
  Accounts,
  Activities,
  ActivityFeed,
  Apps,
  Audit,
  Connectors,
  Duty,
  Events,
  Inbox,
  Interactions,
  type ListPage,
  type ListQuery,
  Pages,
  Push,
  Services,
  Teams,
  Webhooks,
} from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { allOf, type Ask, onBehalfOf } from './operator';

/** `write` takes one line. Holds no more of the account at a time than a list page. */
export async function exportAccount(
  ask: Ask,
  accountId: string,
  write: (line: string) => Promise<void>,
): Promise<void> {
  const as = onBehalfOf(ask, accountId);
  const put = (kind: string, data: unknown): Promise<void> => write(JSON.stringify({ kind, data }));
  const putAll = async (
    kind: string,
    list: (query: ListQuery) => Promise<ListPage<unknown>>,
  ): Promise<void> => {
    for await (const each of allOf(list)) await put(kind, each);
  };

  const { until } = await ask(Accounts.beginExport, { accountId });
  await put('export', { accountId, until });
  await put('account', (await as(Accounts.me, {})).account);
  await putAll('token', (query) => as(Accounts.listTokens, { status: 'all', ...query }));
  for (const session of (await as(Accounts.listSessions, {})).sessions) await put('session', session);
  await putAll('device', (query) => as(Push.listDevices, query));
  await putAll('service', (query) => as(Services.list, query));
  await putAll('service_event', (query) => as(Events.list, query));
  await putAll('webhook', (query) => as(Webhooks.list, query));
  for await (const { id } of allOf((query) => as(Inbox.list, query)))
    await put('inbox_item', await as(Inbox.get, { id }));
  await putAll('prompt', (query) => as(Interactions.list, query));
  await putAll('activity', (query) => as(Activities.list, query));
  await putAll('app', (query) => as(Apps.list, query));
  await putAll('connector', (query) => as(Connectors.list, query));
  await put('on_call', await as(Duty.read, {}));
  for await (const { id } of allOf((query) => as(Teams.list, query))) {
    await put('team', await as(Teams.get, { id }));
    await putAll('page', (query) => as(Pages.list, { id, ...query }));
    await audited(id);
  }
  for (let page = 1, more = true; more; page += 1) {
    const { items, pageSize, total } = await as(ActivityFeed.read, { page });
    for (const item of items) await put('feed_item', item);
    more = items.length > 0 && page * pageSize < total && page < 5000;
  }
  for (let after: string | null = '0'; after !== null;) {
    const { events, next }: { events: readonly unknown[]; next: string | null } = await ask(
      Accounts.history,
      {
        accountId,
        after,
        until,
      },
    );
    for (const event of events) await put('event', event);
    after = next;
  }

  /** What the account did, where it may read the team's audit log. */
  async function audited(id: string): Promise<void> {
    try {
      await putAll('audit_entry', (query) => as(Audit.list, { id, actorUserId: accountId, ...query }));
    } catch (error) {
      if (!(error instanceof Refused) || error.reason !== 'team.forbidden_role') throw error;
    }
  }
}
