import { eventually, type HouseAnswer, type ReceivedReply } from '@carillon/testkit';
import { readFileSync } from 'node:fs';
import { differingTables, rowsOf } from './rows';
import type { Scene } from './load';
import type { Observed } from './verdict';

/** As an answer has it; what is not there is undefined. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of every kind of thing that a list may have
type Item = any;
type Read = (query: string) => Promise<HouseAnswer>;

/** Everything of a list, page by page. */
async function all(read: Read, field: string): Promise<Item[]> {
  const items = [];
  for (let query = '?limit=100'; ;) {
    const { status, body } = await read(query);
    if (status !== 200) throw new Error(`a list was answered ${status}: ${JSON.stringify(body)}`);
    items.push(...body[field]);
    if (!body.nextCursor) return items;
    query = `?limit=100&cursor=${body.nextCursor}`;
  }
}

const title = (item: { title: string }): string => item.title;

/** What a provider has written down of each push that it took: for which phones, by what was pushed. */
function takenBy(record: string): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const line of record.split('\n').filter(Boolean)) {
    const { phoneId, verdict, payload } = JSON.parse(line);
    const id = payload?.carillon?.id ?? payload?.data?.id;
    if (verdict.status === 200 && phoneId !== null && id !== undefined)
      taken.set(id, (taken.get(id) ?? new Set()).add(phoneId));
  }
  return taken;
}

/** Looks at everything when the load has ended, and once more when the rows were made anew from the log. */
export async function observe(
  { house, receiver, teamId, pager, activityId, toRing }: Scene,
  { record, prompts }: { readonly record: string; readonly prompts: number },
): Promise<Omit<Observed, 'unexcused'>> {
  const replies: ReceivedReply[] = [];
  // The last pages go on after a minute of the house's clock.
  await house.advance(90);
  const pagesOf = (): Promise<Item[]> =>
    all((query) => pager.api('GET', `/teams/${teamId}/pages${query}`), 'pages');
  const settled = async (): Promise<true | undefined> => {
    const pages = await pagesOf();
    replies.push(...receiver.received());
    const heard = new Set(replies.map(({ headers }) => headers['webhook-id']));
    return (
      (pages.every(({ nextEscalationAt }) => nextEscalationAt === null) && heard.size >= prompts) || undefined
    );
  };
  // What does not settle is told by the verdict.
  await eventually(settled, () => 'not settled', 60_000).catch(() => {});

  const [inbox, prompted, pages] = [
    await all((query) => house.api('GET', `/inbox/notifications${query}`), 'items'),
    await all((query) => house.session('GET', `/prompts${query}`), 'interactions'),
    await pagesOf(),
  ];
  const activity = (await house.api('GET', `/activities/${activityId}`)).body.activity;
  const numbers = new Map(
    replies.map(({ headers }) => [headers['webhook-id'], Number(headers['carillon-sequence'])]),
  );
  const before = await rowsOf(house.state.databaseUrl);
  await house.stop();
  await house.start({}, ['--new-rows']);
  await eventually(
    async () => (await house.api('GET', '/inbox/notifications')).status === 200 || undefined,
    () => 'it was not ready with new rows',
    60_000,
  );
  return {
    names: {
      notification: inbox.filter(({ kind }) => kind === undefined || kind === 'notification').map(title),
      prompt: prompted.map(title),
      page: pages.map(title),
    },
    answers: new Map(prompted.map((prompt) => [prompt.title, prompt.status])),
    lastChange: Number(String(activity.props.status ?? 'step 0').replace('step ', '')),
    taken: takenBy(readFileSync(record, 'utf8')),
    sequences: [...numbers.values()],
    rung: new Map(pages.map((page) => [page.title, page.notified.map(({ name }: { name: string }) => name)])),
    toRing,
    differing: differingTables(before, await rowsOf(house.state.databaseUrl)),
  };
}
