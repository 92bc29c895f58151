import { type LedgerEntry, type Fault, mayBeAnswered, type RequestOutcome, outcomeOf } from './ledger';
import { judge, judgeFailOver, type Observed, shortestStory } from './verdict';

const entry = (name: string, told: RequestOutcome, more: Partial<LedgerEntry> = {}): LedgerEntry => ({
  atMs: 1_000,
  untilMs: 1_100,
  kind: 'notification',
  name,
  told,
  answer: told === 'acknowledged' ? '201' : '503 UNAVAILABLE',
  ...more,
});
const nothing: Observed = {
  names: { notification: [], prompt: [], page: [] },
  prompts: new Map(),
  activity: { change: 0, sequence: 1 },
  taken: new Map(),
  requests: new Map(),
  replies: [],
  deliveries: [],
  rung: new Map(),
  toRing: ['Ann', 'Ben'],
  differing: [],
  unexcused: [],
};
const inbox = (...notification: string[]): Observed => ({
  ...nothing,
  names: { ...nothing.names, notification },
});
const answer = entry('p', 'acknowledged', { kind: 'answer' });
const reply = (number: number, id = `whd_${number}`, promptId = 'int_p', status = 'approved') => ({
  id,
  number,
  promptId,
  status,
});
const prompted = (status: string, ...replies: Observed['replies'][number][]): Observed => ({
  ...nothing,
  prompts: new Map([['p', { id: 'int_p', status }]]),
  replies,
});
const paged = (told: readonly string[], taken: readonly string[]): Observed => ({
  ...nothing,
  names: { ...nothing.names, page: ['p'] },
  rung: new Map([['p', { told, taken }]]),
});
const died: Fault = { number: 1, name: 'killed', silences: true, fromMs: 5_000, untilMs: 9_000 };
const broken = (
  entries: readonly LedgerEntry[],
  observed: Observed,
  faults: readonly Fault[] = [],
): string[] => judge(entries, faults, observed).map(({ rule, name }) => `${rule}: ${name}`);

describe('after a fault of one process of several', () => {
  const fault = (writesMs: number, rowsMs: number): Fault => ({ ...died, outage: { writesMs, rowsMs } });
  const said = (...faults: Fault[]): string[] => judgeFailOver(faults).map(({ says }) => says);

  it('nothing may be away for ten seconds', () => {
    expect(said(died, fault(9_999, 9_999))).toEqual([]);
    expect(said(fault(10_000, 0))).toEqual(['no write was acknowledged for 10 s (p99)']);
    expect(said(fault(500, 1_000), fault(500, 12_300))).toEqual([
      'no new row could be read for 12.3 s (p99)',
    ]);
    expect(broken([], nothing, [fault(0, 65_000)])).toEqual(['another process takes over in time: null']);
  });

  it('of a hundred times once may be longer', () => {
    const hundred = Array.from({ length: 99 }, () => fault(6_000, 6_000));
    expect(said(...hundred, fault(40_000, 40_000))).toEqual([]);
    expect(said(...hundred.slice(1), fault(40_000, 0), fault(40_000, 0))).toHaveLength(1);
  });
});

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
    expect(broken(entries, inbox('a', 'c', 'e'))).toEqual([]);
  });

  it('has each answer, each change and each step of a page once, and its replies may come twice', () => {
    const entries = [
      answer,
      entry('1', 'acknowledged', { kind: 'change' }),
      entry('2', 'unknown', { kind: 'change' }),
      entry('2', 'acknowledged', { kind: 'change' }),
    ];
    const observed = {
      ...prompted('approved', reply(1), reply(1)),
      activity: { change: 2, sequence: 3 },
      deliveries: ['delivered'],
      rung: paged(['Ben', 'Ann'], ['Ben', 'Ann']).rung,
    };
    expect(broken(entries, observed)).toEqual([]);
  });

  it('says nothing only while what answers is killed', () => {
    const silent = (name: string, atMs: number, untilMs: number): LedgerEntry =>
      entry(name, 'unknown', { atMs, untilMs, unanswered: true });
    const entries = [
      silent('under way', 3_000, 5_010),
      silent('while it starts', 8_000, 8_001),
      silent('by a balancer that has not noticed yet', 9_500, 9_600),
    ];
    expect(broken(entries, nothing, [died])).toEqual([]);
    expect(broken([silent('later', 11_500, 11_600)], nothing, [died])).toEqual([
      'there is an answer while what answers lives: later',
    ]);
    expect(broken(entries, nothing, [{ ...died, silences: false }])).toHaveLength(3);
  });
});

describe('a promise that was not kept', () => {
  it.each<[string, readonly LedgerEntry[], Observed]>([
    ['what was acknowledged is there: a', [entry('a', 'acknowledged')], inbox()],
    ['what was refused is not there: a', [entry('a', 'refused')], inbox('a')],
    ['nothing is there twice: a', [entry('a', 'acknowledged')], inbox('a', 'a')],
    ['nothing is there that nobody asked for: a', [], inbox('a')],
    [
      'what was acknowledged is there: p',
      [answer],
      prompted('pending', reply(1, 'whd_1', 'int_p', 'pending')),
    ],
    ['what was refused is not there: p', [{ ...answer, told: 'refused' }], prompted('approved')],
    ['each answer is told to its receiver once: p', [answer], prompted('approved')],
    ['each answer is told to its receiver once: p', [answer], prompted('approved', reply(1), reply(2))],
    [
      'each answer is told to its receiver once: p',
      [],
      prompted('pending', reply(1, 'whd_1', 'int_p', 'expired')),
    ],
    [
      'what was acknowledged is there: 7',
      [entry('7', 'acknowledged', { kind: 'change' })],
      { ...nothing, activity: { change: 6, sequence: 2 } },
    ],
    [
      'nothing is there twice: 7',
      [entry('7', 'acknowledged', { kind: 'change' })],
      { ...nothing, activity: { change: 7, sequence: 3 } },
    ],
    [
      'accepted is what a provider has taken: a',
      [entry('a', 'acknowledged', { id: 'anot_1', accepted: 2 })],
      { ...inbox('a'), taken: new Map([['anot_1', new Set(['phone'])]]) },
    ],
    [
      'a push is one request to its provider, however often it is repeated: anot_1 on phone',
      [],
      { ...nothing, requests: new Map([['anot_1 on phone', new Set(['one', 'other'])]]) },
    ],
    ['replies are numbered without a gap: null', [answer], prompted('approved', reply(2))],
    [
      'replies are numbered without a gap: null',
      [answer],
      prompted('approved', reply(1, 'whd_1'), reply(2, 'whd_1')),
    ],
    ['delivered is what a receiver has got: null', [], { ...nothing, deliveries: ['delivered'] }],
    [
      'delivered is what a receiver has got: null',
      [answer],
      { ...prompted('approved', reply(1)), deliveries: ['retrying'] },
    ],
    [
      'every escalation is once: p',
      [entry('p', 'acknowledged', { kind: 'page' })],
      paged(['Ann', 'Ben', 'Ben'], ['Ann', 'Ben']),
    ],
    [
      'every escalation is once: p',
      [entry('p', 'acknowledged', { kind: 'page' })],
      paged(['Ann', 'Ben'], ['Ann']),
    ],
    ['rows equal those rebuilt from the log: null', [], { ...nothing, differing: ['read_models.inbox'] }],
    ['nothing ends or answers otherwise: null', [], { ...nothing, unexcused: ['500'] }],
    [
      'the answer is one of those that are described: a',
      [entry('a', 'unknown', { unheardOf: '{}' })],
      nothing,
    ],
  ])('%s', (rule, entries, observed) => {
    expect(broken(entries, observed)).toEqual([rule]);
  });

  it('is told by the shortest story: the requests for it, and the faults around them', () => {
    const fault = (number: number, fromMs: number): Fault => ({
      number,
      name: `fault ${number}`,
      silences: false,
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
    const story = shortestStory(judge(entries, faults, nothing), entries, faults);
    expect(story?.violation.name).toBe('once');
    expect(story?.lines).toEqual([
      '   60.0 s  fault 3: fault 3, until 61.0 s',
      '   61.0 s  notification "once": 201',
    ]);
    expect(shortestStory([], entries, faults)).toBeUndefined();
  });
});

describe('the promise of an answer', () => {
  it.each<[number, string | undefined, RequestOutcome, boolean]>([
    [201, undefined, 'acknowledged', true],
    [503, 'UNAVAILABLE', 'refused', true],
    [504, 'DEADLINE_EXCEEDED', 'unknown', true],
    [409, 'IDEMPOTENCY_IN_PROGRESS', 'unknown', true],
    [409, 'CONCURRENT_UPDATE', 'refused', true],
    [500, 'INTERNAL', 'unknown', false],
    [503, undefined, 'unknown', false],
  ])('%d %s', (status, code, told, excused) => {
    expect([outcomeOf(status, code), mayBeAnswered(status, code)]).toEqual([told, excused]);
  });
});
