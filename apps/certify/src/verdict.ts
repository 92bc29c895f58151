import type { LedgerEntry, Fault, Kind } from './ledger';

/** A reply as its receiver got it. */
export interface Reply {
  /** Of its delivery; the same one may come again under the same id. */
  readonly id: string;
  readonly number: number;
  readonly promptId: string;
  readonly status: string;
}

/** The people that a page has rung, in order: by the product, and by the providers' own record. */
export interface Rung {
  readonly told: readonly string[];
  readonly taken: readonly string[];
}

/** What the house has in the end. */
export interface Observed {
  /** The names of all that is there, of each kind, as often as it is there. */
  readonly names: Readonly<Record<'notification' | 'prompt' | 'page', readonly string[]>>;
  /** How each prompt ended, by name. */
  readonly prompts: ReadonlyMap<string, { readonly id: string; readonly status: string }>;
  /** The number of the last change of the activity that is shown, and how many changes it counts with its start. */
  readonly activity: { readonly change: number; readonly sequence: number };
  /** By the id of what was pushed: the phones for which a provider says that it has taken it. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>;
  /** By what was pushed to which phone: the ids of the requests that a provider has taken; a repeat has the same. */
  readonly requests: ReadonlyMap<string, ReadonlySet<string>>;
  readonly replies: readonly Reply[];
  /** What the product says of each reply. */
  readonly deliveries: readonly string[];
  /** The people that each page has rung, by its name. */
  readonly rung: ReadonlyMap<string, Rung>;
  /** The people that each page had to ring, in any order. */
  readonly toRing: readonly string[];
  /** Tables whose rows differ when they are rebuilt from the log. */
  readonly differing: readonly string[];
  /** What went wrong meanwhile that nothing may excuse, such as a process that ended by itself. */
  readonly unexcused: readonly string[];
}

/** A promise that was not kept. */
export interface Violation {
  readonly rule: string;
  /** What it is about; null when it is about no single thing. */
  readonly name: string | null;
  readonly says: string;
}

/** The promises, each by its name. */
const rules = {
  there: 'what was acknowledged is there',
  refused: 'what was refused is not there',
  once: 'nothing is there twice',
  asked: 'nothing is there that nobody asked for',
  accepted: 'accepted is what a provider has taken',
  pushed: 'a push is one request to its provider, however often it is repeated',
  gap: 'replies are numbered without a gap',
  replied: 'each answer is told to its receiver once',
  delivered: 'delivered is what a receiver has got',
  escalated: 'every escalation is once',
  answered: 'there is an answer while what answers lives',
  rollout: 'a rollout answers with no error but 503',
  heardOf: 'the answer is one of those that are described',
  failOver: 'another process takes over in time',
  rows: 'rows equal those rebuilt from the log',
  fine: 'nothing ends or answers otherwise',
} as const;

/** Every promise that was not kept, by what was told, what was done meanwhile and what is there. */
export function judge(
  entries: readonly LedgerEntry[],
  faults: readonly Fault[],
  observed: Observed,
): Violation[] {
  return [
    ...judgeAnswered(entries, faults),
    ...judgeFailOver(faults),
    ...(['notification', 'prompt', 'page'] as const).flatMap((kind) =>
      judgeNames(kind, entries, observed.names[kind]),
    ),
    ...judgePrompts(entries, observed),
    ...judgeChanges(entries, observed.activity),
    ...judgeAccepted(entries, observed),
    ...judgeReplies(observed),
    ...judgePages(observed),
    ...observed.differing.map((table) => ({ rule: rules.rows, name: null, says: `${table} does not` })),
    ...observed.unexcused.map((says) => ({ rule: rules.fine, name: null, says })),
  ];
}

/**
 * Clients and a balancer with open connections may notice the end of a process a little later.
 */
const noticedWithinMs = 2_000;

/** What there is to say of answers alone, also when nobody could look at the house in the end. */
export const judgeAnswered = (entries: readonly LedgerEntry[], faults: readonly Fault[]): Violation[] => [
  ...entries
    .filter(({ unheardOf }) => unheardOf !== undefined)
    .map(({ name, answer, unheardOf }) => ({ rule: rules.heardOf, name, says: `${answer}: ${unheardOf}` })),
  ...entries
    .filter(
      ({ unanswered, atMs, untilMs }) =>
        unanswered &&
        !faults.some(
          (fault) => fault.silences && atMs <= fault.untilMs + noticedWithinMs && untilMs >= fault.fromMs,
        ),
    )
    .map(({ name, answer }) => ({ rule: rules.answered, name, says: answer })),
];

/** A rollout answers with no error but 503. */
export const judgeRollout = (entries: readonly LedgerEntry[]): Violation[] =>
  entries
    .filter(({ answer }) => /^5/.test(answer) && !answer.startsWith('503'))
    .map(({ name, answer }) => ({ rule: rules.rollout, name, says: answer }));

const failOverWithinMs = 10_000;
const ofAll = 0.99;

/** The value that no more than one of a hundred exceed; of fewer than a hundred, the largest. */
export const percentile99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * ofAll) - 1] ?? 0;

/** Whether the outages after faults of one process of several are short. */
export function judgeFailOver(faults: readonly Fault[]): Violation[] {
  const outages = faults.flatMap(({ outage }) => (outage ? [outage] : []));
  const all = {
    'no write was acknowledged': percentile99(outages.map(({ writesMs }) => writesMs)),
    'no new row could be read': percentile99(outages.map(({ rowsMs }) => rowsMs)),
  };
  return Object.entries(all)
    .filter(([, ms]) => ms >= failOverWithinMs)
    .map(([what, ms]) => ({ rule: rules.failOver, name: null, says: `${what} for ${ms / 1_000} s (p99)` }));
}

function judgeNames(kind: Kind, entries: readonly LedgerEntry[], names: readonly string[]): Violation[] {
  const told = new Map<string, Set<LedgerEntry['told']>>();
  for (const entry of entries)
    if (entry.kind === kind) told.set(entry.name, (told.get(entry.name) ?? new Set()).add(entry.told));
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  const violations: Violation[] = [];
  for (const [name, said] of told) {
    const there = count.get(name) ?? 0;
    if (said.has('acknowledged') && there === 0)
      violations.push({ rule: rules.there, name, says: `the ${kind} is not` });
    if (said.size === 1 && said.has('refused') && there > 0)
      violations.push({ rule: rules.refused, name, says: `the ${kind} is` });
  }
  for (const [name, there] of count) {
    if (there > 1) violations.push({ rule: rules.once, name, says: `the ${kind} is ${there} times` });
    if (!told.has(name)) violations.push({ rule: rules.asked, name, says: `the ${kind} is` });
  }
  return violations;
}

/** Each answer that was acknowledged stands, and its reply has gone out once; without one there is no reply. */
function judgePrompts(entries: readonly LedgerEntry[], { prompts, replies }: Observed): Violation[] {
  const deliveries = new Map<string, Set<string>>();
  for (const { promptId, id } of replies)
    deliveries.set(promptId, (deliveries.get(promptId) ?? new Set()).add(id));
  const answered = acknowledged(entries, 'answer');
  const tried = new Set(
    entries.filter(({ kind, told }) => kind === 'answer' && told !== 'refused').map(nameOf),
  );
  const violations: Violation[] = [];
  for (const name of answered) {
    const prompt = prompts.get(name);
    if (prompt?.status !== 'approved')
      violations.push({
        rule: rules.there,
        name,
        says: `the prompt was answered and is ${prompt?.status ?? 'gone'}`,
      });
    const told = deliveries.get(prompt?.id ?? '')?.size ?? 0;
    if (told !== 1) violations.push({ rule: rules.replied, name, says: `it was told ${told} times` });
  }
  for (const [name, { status }] of prompts)
    if (status === 'approved' && !tried.has(name))
      violations.push({ rule: rules.refused, name, says: 'the answer is' });
  const known = new Map([...prompts].map(([name, { id, status }]) => [id, { name, status }]));
  for (const { promptId, status } of replies) {
    const prompt = known.get(promptId);
    if (prompt?.status !== status)
      violations.push({
        rule: rules.replied,
        name: prompt?.name ?? null,
        says: `the receiver was told ${status} of ${promptId}, which is ${prompt?.status ?? 'nowhere'}`,
      });
  }
  return violations;
}

/** They are asked for one after the other, each until it is acknowledged. */
function judgeChanges(
  entries: readonly LedgerEntry[],
  { change, sequence }: Observed['activity'],
): Violation[] {
  const told = new Set(acknowledged(entries, 'change'));
  const last = [...told].at(-1) ?? '0';
  const violations: Violation[] = [];
  if (change !== Number(last))
    violations.push({ rule: rules.there, name: last, says: `the activity stands at change ${change}` });
  if (sequence !== told.size + 1)
    violations.push({
      rule: rules.once,
      name: last,
      says: `the activity has had ${sequence - 1} changes, ${told.size} were asked for`,
    });
  return violations;
}

const judgeAccepted = (entries: readonly LedgerEntry[], { taken, requests }: Observed): Violation[] => [
  ...entries
    .filter(({ id, accepted }) => id !== undefined && (accepted ?? 0) > (taken.get(id)?.size ?? 0))
    .map(({ id, name, accepted }) => ({
      rule: rules.accepted,
      name,
      says: `accepted: ${accepted}; the providers' own record has it for ${taken.get(id ?? '')?.size ?? 0} phones`,
    })),
  ...[...requests]
    .filter(([, ids]) => ids.size > 1)
    .map(([name, ids]) => ({ rule: rules.pushed, name, says: `the provider took ${[...ids].join(', ')}` })),
];

function judgeReplies({ replies, deliveries }: Observed): Violation[] {
  const violations: Violation[] = [];
  const numbers = new Map<string, number>();
  for (const { id, number } of replies) {
    const before = numbers.get(id) ?? number;
    if (before !== number)
      violations.push({ rule: rules.gap, name: null, says: `${id} came as ${before} and as ${number}` });
    numbers.set(id, before);
  }
  const sorted = [...numbers.values()].sort((a, b) => a - b);
  const wrong = sorted.findIndex((number, index) => number !== index + 1);
  if (wrong !== -1)
    violations.push({
      rule: rules.gap,
      name: null,
      says: `number ${wrong + 1} of ${sorted.length} is ${sorted[wrong]}`,
    });
  const open = deliveries.filter((status) => status !== 'delivered');
  if (open.length > 0)
    violations.push({ rule: rules.delivered, name: null, says: `${open.length} are ${open[0]}` });
  const delivered = deliveries.length - open.length;
  if (delivered > numbers.size)
    violations.push({
      rule: rules.delivered,
      name: null,
      says: `${delivered} are, ${numbers.size} have come`,
    });
  return violations;
}

const judgePages = ({ rung, toRing }: Observed): Violation[] =>
  [...rung].flatMap(([name, { told, taken }]) => {
    const wrong = (people: readonly string[]): boolean =>
      [...people].sort().join() !== [...toRing].sort().join();
    return [
      ...(wrong(told) ? [`it says that it has rung ${told.join(', ') || 'nobody'}`] : []),
      ...(wrong(taken) ? [`by the providers' record it has rung ${taken.join(', ') || 'nobody'}`] : []),
    ].map((says) => ({ rule: rules.escalated, name, says: `${says}, not each of ${toRing.join(', ')}` }));
  });

const nameOf = ({ name }: LedgerEntry): string => name;

const acknowledged = (entries: readonly LedgerEntry[], kind: Kind): string[] =>
  entries.filter((entry) => entry.kind === kind && entry.told === 'acknowledged').map(nameOf);

/** How long before and after what was said of it a fault may have had a part in it. */
const aroundMs = 15_000;

/** What happened to one thing: each request for it, and the faults around them. */
export interface Story {
  readonly violation: Violation;
  readonly lines: readonly string[];
}

/** The shortest story that shows that something is wrong; undefined when nothing is. */
export function shortestStory(
  violations: readonly Violation[],
  entries: readonly LedgerEntry[],
  faults: readonly Fault[],
): Story | undefined {
  return violations
    .map((violation) => ({ violation, lines: linesOf(violation, entries, faults) }))
    .sort((a, b) => a.lines.length - b.lines.length)[0];
}

function linesOf({ name }: Violation, entries: readonly LedgerEntry[], faults: readonly Fault[]): string[] {
  const about = name === null ? [] : entries.filter((entry) => entry.name === name);
  const from = (about[0]?.atMs ?? -Infinity) - aroundMs;
  const until = (about.at(-1)?.atMs ?? Infinity) + aroundMs;
  const zero = faults[0]?.fromMs ?? about[0]?.atMs ?? 0;
  const at = (ms: number): string => `${((ms - zero) / 1000).toFixed(1).padStart(7)} s`;
  return [
    ...about.map(({ atMs, kind, answer }) => ({ atMs, text: `${kind} "${name}": ${answer}` })),
    ...faults
      .filter((fault) => fault.untilMs >= from && fault.fromMs <= until)
      .map((fault) => ({
        atMs: fault.fromMs,
        text: `fault ${fault.number}: ${fault.name}, until ${at(fault.untilMs).trim()}`,
      })),
  ]
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ atMs, text }) => `${at(atMs)}  ${text}`);
}
