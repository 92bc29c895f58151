// The row of pages: so many open at once, of which nobody acknowledges one, and how late each goes on to its next step.
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, eachOf, percentile, startHouse, upTo, workplaceTeam } from './bench-house.mjs';

const minuteMs = 60_000;
const clients = 32;
const many = '100000000';

/**
 * Pages one group so often, as fast as the house takes it, waits until the last page has had its next step, and tells
 * how late those were. `minutes` is the time to the next step: all pages should be made within it.
 */
export async function measureEscalation({ pages, minutes }) {
  const { state, data, stop } = await startHouse({
    CARILLON_PAGES_PER_MINUTE: many,
    CARILLON_TOKEN_REQUESTS_PER_MINUTE: many,
    CARILLON_ACCOUNT_REQUESTS_PER_MINUTE: many,
  });
  try {
    const { baseUrl, apiToken: agent, account } = state;
    const api = async (method, path, given) => {
      const { status, body } = await ask(`${baseUrl}/api/agent${path}`, method, given, agent);
      if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(body)}`);
      return body;
    };
    const teamId = workplaceTeam(data, account.email);
    const group = await api('POST', `/teams/${teamId}/oncall`, {
      name: 'Everything',
      rotation: { userIds: [account.id], period: 'daily', handoffAt: '00:00', timezone: 'UTC' },
      escalation: [
        { afterMinutes: minutes, target: 'next' },
        { afterMinutes: 1_440, target: 'group' },
      ],
    });
    const due = new Map();
    const began = Date.now();
    await eachOf(upTo(pages), clients, async (n) => {
      const { page } = await api('POST', `/oncall/${group.id}/pages`, { title: `Down ${n + 1}` });
      due.set(page.id, Date.parse(page.nextEscalationAt));
    });
    const madeMs = Date.now() - began;
    await sleep(Math.max(0, Math.max(...due.values()) - Date.now()));
    const ran = await untilRun(api, teamId, pages);
    const late = [...due].map(([id, at]) => ran.get(id) - at);
    return { pages, minutes, madeMs, late };
  } finally {
    await stop();
  }
}

/** When each page has had its next step: its last one is due so long after that. */
async function untilRun(api, teamId, pages) {
  for (let look = 0; look < 120; look += 1) {
    const ran = new Map();
    for (let cursor = ''; cursor !== null;) {
      const list = await api('GET', `/teams/${teamId}/pages?limit=100${cursor && `&cursor=${cursor}`}`);
      for (const { id, escalationStep, nextEscalationAt } of list.pages)
        if (escalationStep === 1) ran.set(id, Date.parse(nextEscalationAt) - 1_440 * minuteMs);
      cursor = list.nextCursor;
    }
    if (ran.size === pages) return ran;
    await sleep(1_000);
  }
  throw new Error('Not every page has had its next step');
}

export function escalationTable({ pages, madeMs, late }) {
  const [p50, p99, max] = [percentile(late, 0.5), percentile(late, 0.99), Math.max(...late)];
  return [
    '| Open pages | made at, pages/s | next step late, p50 / p99 / most ms | too early |',
    '| --- | --- | --- | --- |',
    `| ${pages} | ${((pages * 1_000) / madeMs).toFixed(0)} | ${p50} / ${p99} / ${max} | ${late.filter((ms) => ms < 0).length} |`,
  ].join('\n');
}
