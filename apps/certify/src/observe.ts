import { eventually, type HouseAnswer, type ReceivedReply } from '@carillon/testkit';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Scene } from './load';
import type { HouseKind } from './options';
import { differingTables, isSame, type TableRows, rowsOf } from './rows';
import { takenBy } from './taken';
import type { Observed, Reply } from './verdict';

/** As an answer has it; what is not there is undefined. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- of every kind of thing that a list may have
type Item = any;
type Query = (query: string) => Promise<HouseAnswer>;

/** Pages go on, and replies come again, in this time of the house's clock. */
const onwardsMs = 90_000;
/** A reply that has failed twice comes again after five minutes. */
const settledWithinMs = 400_000;
const readyWithinMs = 120_000;

/** What is answered while some of it may still be coming back. */
async function once(read: () => Promise<HouseAnswer>): Promise<Item> {
  let last = 'not answered';
  const answered = await eventually(
    async () => {
      try {
        const answer = await read();
        last = `answered ${answer.status}: ${JSON.stringify(answer.body)}`;
        return answer.status === 503 ? undefined : answer;
      } catch (error) {
        // The house may have restarted since its connections were made.
        last = String(error);
        return undefined;
      }
    },
    () => `it was ${last}`,
    readyWithinMs,
  );
  if (answered.status !== 200)
    throw new Error(`it was answered ${answered.status}: ${JSON.stringify(answered.body)}`);
  return answered.body;
}

/** Everything of a list, page by page. */
async function all(read: Query, field: string): Promise<Item[]> {
  const items = [];
  for (let query = '?limit=100'; ;) {
    const body = await once(() => read(query));
    items.push(...body[field]);
    if (!body.nextCursor) return items;
    query = `?limit=100&cursor=${body.nextCursor}`;
  }
}

const title = (item: { title: string }): string => item.title;

const replyOf = ({ headers, body }: ReceivedReply): Reply => ({
  id: String(headers['webhook-id']),
  number: Number(headers['carillon-sequence']),
  promptId: body.data.interaction.id,
  status: body.data.interaction.status,
});

/** All rows, when nothing changes them any more. */
async function rowsAtRest(databaseUrl: string): Promise<TableRows> {
  let before = await rowsOf(databaseUrl);
  return eventually(
    async () => {
      await pause(1_000);
      const now = await rowsOf(databaseUrl);
      const rests = isSame(before, now);
      before = now;
      return rests ? now : undefined;
    },
    () => 'the rows did not come to rest',
    readyWithinMs,
  );
}

/** What the lists have, by title. */
export interface Names {
  readonly notification: readonly string[];
  readonly prompt: readonly string[];
  readonly page: readonly string[];
  /** The prompts that were approved. */
  readonly approved: readonly string[];
}

type Listed = Pick<Scene, 'house' | 'pager' | 'teamId'>;

const pagesIn = ({ pager, teamId }: Pick<Scene, 'pager' | 'teamId'>): Promise<Item[]> =>
  all((query) => pager.api('GET', `/teams/${teamId}/pages${query}`), 'pages');

const listsIn = async ({ house, pager, teamId }: Listed) => ({
  inbox: await all((query) => house.api('GET', `/inbox/notifications${query}`), 'items'),
  prompted: await all((query) => house.session('GET', `/prompts${query}`), 'interactions'),
  pages: await pagesIn({ pager, teamId }),
});

const namesOf = ({ inbox, prompted, pages }: Awaited<ReturnType<typeof listsIn>>): Names => ({
  notification: inbox.filter(({ kind: of }) => of === undefined || of === 'notification').map(title),
  prompt: prompted.map(title),
  page: pages.map(title),
  approved: prompted.filter(({ status }) => status === 'approved').map(title),
});

export const namesIn = async (scene: Listed): Promise<Names> => namesOf(await listsIn(scene));

/** Looks at everything when the load has ended, and once more when the rows were rebuilt from the log. */
export async function observe(
  { house, receiver, teamId, pager, activityId, webhookId, toRing }: Scene,
  { record, prompts, kind }: { readonly record: string; readonly prompts: number; readonly kind: HouseKind },
): Promise<Omit<Observed, 'unexcused'>> {
  const replies: Reply[] = [];
  const deliveriesOf = (): Promise<Item[]> =>
    all((query) => house.api('GET', `/webhooks/${webhookId}${query}`), 'deliveries');
  const settled = async (): Promise<true | undefined> => {
    // A cluster's clocks are left alone: there it comes in its own time.
    if (kind === 'standalone') await house.advance(onwardsMs / 1000);
    await pause(kind === 'standalone' ? 500 : 5_000);
    replies.push(...receiver.received().map(replyOf));
    const pages = await pagesIn({ pager, teamId });
    const deliveries = await deliveriesOf();
    const isSettled =
      pages.every(({ nextEscalationAt }) => nextEscalationAt === null) &&
      deliveries.every(({ status }) => status === 'delivered') &&
      new Set(replies.map(({ id }) => id)).size >= prompts;
    return isSettled || undefined;
  };
  // What does not settle is told by the verdict.
  await eventually(settled, () => 'not settled', settledWithinMs).catch(() => {});

  const lists = await listsIn({ house, pager, teamId });
  const { prompted, pages } = lists;
  const deliveries = await deliveriesOf();
  const { activity } = await once(() => house.api('GET', `/activities/${activityId}`));
  const before = await rowsAtRest(house.state.databaseUrl);
  replies.push(...receiver.received().map(replyOf));
  await house.stop();
  house.lookAtLogs();
  await house.start({}, ['--new-rows']);
  await once(() => house.http('GET', '/healthz/ready'));
  const after = await rowsAtRest(house.state.databaseUrl);
  const taken = takenBy(readFileSync(record, 'utf8'));
  return {
    names: namesOf(lists),
    prompts: new Map(prompted.map((prompt) => [prompt.title, prompt])),
    activity: {
      change: Number(String(activity.props.status ?? 'step 0').replace('step ', '')),
      sequence: activity.sequence,
    },
    taken: taken.phones,
    requests: taken.requests,
    replies,
    deliveries: deliveries.map(({ status }) => status),
    rung: new Map(
      pages.map((page) => [
        page.title,
        {
          told: page.notified.map(({ name }: { name: string }) => name),
          taken: (taken.rings.get(page.id) ?? []).map((phone) => toRing.get(phone) ?? phone),
        },
      ]),
    ),
    toRing: [...toRing.values()],
    differing: differingTables(before, after),
  };
}
