import { type Entry, type Fault, mayBeAnswered, type Told, toldBy } from './ledger';
import { judge, type Observed, shortestStory } from './verdict';

const entry = (name: string, told: Told, more: Partial<Entry> = {}): Entry => ({
  atMs: 1_000,
  kind: 'notification',
  name,
  told,
  answer: told === 'acknowledged' ? '201' : '503 UNAVAILABLE',
  ...more,
});
const nothing: Observed = {
  names: { notification: [], prompt: [], page: [] },
  answers: new Map(),
  lastChange: 0,
  taken: new Map(),
  sequences: [],
  rung: new Map(),
  toRing: ['Ann', 'Ben'],
  differing: [],
  unexcused: [],
};
const inbox = (...notification: string[]): Observed => ({
  ...nothing,
  names: { ...nothing.names, notification },
});
const rules = (entries: readonly Entry[], observed: Observed): string[] =>
  judge(entries, observed).map(({ rule, name }) => `${rule}: ${name}`);

describe('a house that kept its promises', () => {
  it('has what was acknowledged once, nothing that was refused, and may have what nobody knows', () => {
    const entries = [
      entry('a', 'acknowledged'),
      entry('b', 'refused'),
      entry('c', 'unknown'),
      entry('d', 'unknown'),
      // Refused at first, and asked again.
      entry('e', 'refused'),
      entry('e', 'acknowledged'),
    ];
    expect(rules(entries, inbox('a', 'c', 'e'))).toEqual([]);
  });
});

describe('a promise that was not kept', () => {
  it.each<[string, readonly Entry[], Observed]>([
    ['what was acknowledged is there: a', [entry('a', 'acknowledged')], inbox()],
    ['what was refused is not there: a', [entry('a', 'refused')], inbox('a')],
    ['nothing is there twice: a', [entry('a', 'acknowledged')], inbox('a', 'a')],
    ['nothing is there that nobody asked for: a', [], inbox('a')],
    [
      'what was acknowledged is there: a',
      [entry('a', 'acknowledged', { kind: 'answer' })],
      { ...nothing, answers: new Map([['a', 'pending']]) },
    ],
    [
      'what was acknowledged is there: 7',
      [entry('7', 'acknowledged', { kind: 'change' })],
      { ...nothing, lastChange: 6 },
    ],
    [
      'accepted is what a provider has taken: a',
      [entry('a', 'acknowledged', { id: 'anot_1', accepted: 2 })],
      { ...inbox('a'), taken: new Map([['anot_1', new Set(['phone'])]]) },
    ],
    ['replies are numbered without a gap: null', [], { ...nothing, sequences: [1, 3] }],
    ['replies are numbered without a gap: null', [], { ...nothing, sequences: [1, 1, 2] }],
    [
      'every escalation is once: p',
      [entry('p', 'acknowledged', { kind: 'page' })],
      {
        ...nothing,
        names: { ...nothing.names, page: ['p'] },
        rung: new Map([['p', ['Ann', 'Ben', 'Ben']]]),
      },
    ],
    ['rows equal those made anew from the log: null', [], { ...nothing, differing: ['read_models.inbox'] }],
    ['nothing ends or answers otherwise: null', [], { ...nothing, unexcused: ['500'] }],
  ])('%s', (rule, entries, observed) => {
    expect(rules(entries, observed)).toEqual([rule]);
  });

  it('is told by the shortest story: the requests for it, and the faults around them', () => {
    const fault = (number: number, fromMs: number): Fault => ({
      number,
      name: `fault ${number}`,
      fromMs,
      untilMs: fromMs + 1_000,
    });
    const faults = [fault(1, 0), fault(2, 20_000), fault(3, 60_000)];
    const entries = [
      entry('often', 'unknown', { atMs: 1_000 }),
      entry('often', 'unknown', { atMs: 30_000 }),
      entry('often', 'acknowledged', { atMs: 61_000 }),
      entry('once', 'acknowledged', { atMs: 61_000 }),
    ];
    const story = shortestStory(judge(entries, nothing), entries, faults);
    expect(story?.violation.name).toBe('once');
    expect(story?.lines).toEqual([
      '   60.0 s  fault 3: fault 3, until 61.0 s',
      '   61.0 s  notification "once": 201',
    ]);
    expect(shortestStory([], entries, faults)).toBeUndefined();
  });
});

describe('what an answer tells whoever asked', () => {
  it.each<[number, string | undefined, Told, boolean]>([
    [201, undefined, 'acknowledged', true],
    [503, 'UNAVAILABLE', 'refused', true],
    [504, 'DEADLINE_EXCEEDED', 'unknown', true],
    [409, 'IDEMPOTENCY_IN_PROGRESS', 'unknown', true],
    [409, 'CONCURRENT_UPDATE', 'refused', true],
    [500, 'INTERNAL', 'unknown', false],
    [503, undefined, 'unknown', false],
  ])('%d %s', (status, code, told, excused) => {
    expect([toldBy(status, code), mayBeAnswered(status, code)]).toEqual([told, excused]);
  });
});
