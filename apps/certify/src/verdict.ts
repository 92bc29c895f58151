import type { Entry, Fault, Kind } from './ledger';

/** What the house has in the end. */
export interface Observed {
  /** The names of all that is there, of each kind, as often as it is there. */
  readonly names: Readonly<Record<'notification' | 'prompt' | 'page', readonly string[]>>;
  /** How each prompt ended, by name. */
  readonly answers: ReadonlyMap<string, string>;
  /** The number of the last change of the activity that is shown. */
  readonly lastChange: number;
  /** By the id of what was pushed: the phones for which a provider says that it has taken it. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>;
  /** The numbers of the replies that the receiver has got, each as often as it came with another delivery's id. */
  readonly sequences: readonly number[];
  /** Whom each page has rung, in order, by its name. */
  readonly rung: ReadonlyMap<string, readonly string[]>;
  /** Whom each page had to ring. */
  readonly toRing: readonly string[];
  /** Tables whose rows are others when they are made anew from the log. */
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

/** Every promise that was not kept, by what was told and what is there. */
export function judge(entries: readonly Entry[], observed: Observed): Violation[] {
  return [
    ...(['notification', 'prompt', 'page'] as const).flatMap((kind) =>
      judgeNames(kind, entries, observed.names[kind]),
    ),
    ...judgeAnswers(entries, observed),
    ...judgeChanges(entries, observed),
    ...judgeAccepted(entries, observed),
    ...judgeSequences(observed.sequences),
    ...judgePages(observed),
    ...observed.differing.map((table) => ({
      rule: 'rows equal those made anew from the log',
      name: null,
      says: `${table} does not`,
    })),
    ...observed.unexcused.map((says) => ({ rule: 'nothing ends or answers otherwise', name: null, says })),
  ];
}

function judgeNames(kind: Kind, entries: readonly Entry[], names: readonly string[]): Violation[] {
  const told = new Map<string, Set<Entry['told']>>();
  for (const entry of entries)
    if (entry.kind === kind) told.set(entry.name, (told.get(entry.name) ?? new Set()).add(entry.told));
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  const violations: Violation[] = [];
  for (const [name, said] of told) {
    const there = count.get(name) ?? 0;
    if (said.has('acknowledged') && there === 0)
      violations.push({ rule: 'what was acknowledged is there', name, says: `the ${kind} is not` });
    if (said.size === 1 && said.has('refused') && there > 0)
      violations.push({ rule: 'what was refused is not there', name, says: `the ${kind} is` });
  }
  for (const [name, there] of count) {
    if (there > 1)
      violations.push({ rule: 'nothing is there twice', name, says: `the ${kind} is ${there} times` });
    if (!told.has(name))
      violations.push({ rule: 'nothing is there that nobody asked for', name, says: `the ${kind} is` });
  }
  return violations;
}

const judgeAnswers = (entries: readonly Entry[], { answers }: Observed): Violation[] =>
  [...new Set(ofKind(entries, 'answer'))]
    .filter((name) => answers.get(name) !== 'approved')
    .map((name) => ({
      rule: 'what was acknowledged is there',
      name,
      says: `the prompt was answered and is ${answers.get(name) ?? 'gone'}`,
    }));

function judgeChanges(entries: readonly Entry[], { lastChange }: Observed): Violation[] {
  const told = ofKind(entries, 'change');
  const last = told.at(-1);
  // One more may have been on its way when the load ended.
  if (last === undefined || [Number(last), Number(last) + 1].includes(lastChange)) return [];
  return [
    {
      rule: 'what was acknowledged is there',
      name: last,
      says: `the activity stands at change ${lastChange}, not ${last}`,
    },
  ];
}

const judgeAccepted = (entries: readonly Entry[], { taken }: Observed): Violation[] =>
  entries
    .filter(({ id, accepted }) => id !== undefined && (accepted ?? 0) > (taken.get(id)?.size ?? 0))
    .map(({ id, name, accepted }) => ({
      rule: 'accepted is what a provider has taken',
      name,
      says: `accepted: ${accepted}; the providers' own record has it for ${taken.get(id ?? '')?.size ?? 0} phones`,
    }));

function judgeSequences(sequences: readonly number[]): Violation[] {
  const sorted = [...sequences].sort((a, b) => a - b);
  const wrong = sorted.findIndex((number, index) => number !== index + 1);
  if (wrong === -1) return [];
  return [
    {
      rule: 'replies are numbered without a gap',
      name: null,
      says: `number ${wrong + 1} of ${sorted.length} is ${sorted[wrong]}`,
    },
  ];
}

const judgePages = ({ rung, toRing }: Observed): Violation[] =>
  [...rung]
    .filter(([, people]) => people.join() !== toRing.join())
    .map(([name, people]) => ({
      rule: 'every escalation is once',
      name,
      says: `it has rung ${people.join(', ') || 'nobody'}, not ${toRing.join(', ')}`,
    }));

const ofKind = (entries: readonly Entry[], kind: Kind): string[] =>
  entries.filter((entry) => entry.kind === kind && entry.told === 'acknowledged').map(({ name }) => name);

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
  entries: readonly Entry[],
  faults: readonly Fault[],
): Story | undefined {
  return violations
    .map((violation) => ({ violation, lines: linesOf(violation, entries, faults) }))
    .sort((a, b) => a.lines.length - b.lines.length)[0];
}

function linesOf({ name }: Violation, entries: readonly Entry[], faults: readonly Fault[]): string[] {
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
