// Everything that the installation holds of one account, as lines of JSON, `{"kind":…,"data":…}`: for `account export` of
// tools/admin.mjs. First what each service shows to the account itself, so that nothing is in it that the account could not
// see; then each event of the account in the log, its text readable and its secrets left out. `ask` is what `asOperator`
// gives.
import { allOf } from './operator.mjs';

/** `write` takes one line. Holds no more of the account at a time than a page. */
export async function exportAccount(ask, contracts, accountId, write) {
  const { Accounts, Activities, ActivityFeed, Apps, Audit, Connectors, Duty } = contracts;
  const { Events, Inbox, Interactions, Pages, Push, Services, Teams, Webhooks } = contracts;
  const as = (contract, input = {}) => ask(contract, input, accountId);
  const put = (kind, data) => write(JSON.stringify({ kind, data }));
  const putAll = async (kind, contract, input) => {
    for await (const each of allOf(as, contract, input)) await put(kind, each);
  };

  const { until } = await ask(Accounts.beginExport, { accountId });
  await put('export', { accountId, until });
  await put('account', (await as(Accounts.me)).account);
  await putAll('token', Accounts.listTokens, { status: 'all' });
  for (const session of (await as(Accounts.listSessions)).sessions) await put('session', session);
  await putAll('device', Push.listDevices);
  await putAll('service', Services.list);
  await putAll('service_event', Events.list);
  await putAll('webhook', Webhooks.list);
  for await (const { id } of allOf(as, Inbox.list)) await put('inbox_item', await as(Inbox.get, { id }));
  await putAll('prompt', Interactions.list);
  await putAll('activity', Activities.list);
  await putAll('app', Apps.list);
  await putAll('connector', Connectors.list);
  await put('on_call', await as(Duty.read));
  for await (const { id } of allOf(as, Teams.list)) {
    await put('team', await as(Teams.get, { id }));
    await putAll('page', Pages.list, { id });
    await audited(id);
  }
  for (let page = 1, more = true; more; page += 1) {
    const { items, pageSize, total } = await as(ActivityFeed.read, { page });
    for (const item of items) await put('feed_item', item);
    more = items.length > 0 && page * pageSize < total && page < 5000;
  }
  for (let after = '0'; after !== null;) {
    const { events, next } = await ask(Accounts.history, { accountId, after, until });
    for (const event of events) await put('event', event);
    after = next;
  }

  /** What the account did, where it may read the team's audit log. */
  async function audited(id) {
    try {
      await putAll('audit_entry', Audit.list, { id, actorUserId: accountId });
    } catch (error) {
      if (error.reason !== 'team.forbidden_role') throw error;
    }
  }
}
