import type { LaneEvent } from '@carillon/contracts';
import fc from 'fast-check';
import { expiryGraceMs, begun, ended, expired, updated } from './activity';
import { dueAt, take } from './due';
import type { Lane, LaneOperation, Settlement } from './lane';
import { heard } from './outcome';
import { gone, registered, restarted } from './phone';
import { farewellDone, released, tokenDied, waits } from './rest';
import { type LaneRecord, laneRecord, settle, settlementOf } from './record';

/**
 * A failure names its seed and its path: `LANE_SEED=<seed> LANE_PATH=<path>` tells that one history again, and
 * `LANE_SEED=<another> LANE_HISTORIES=<how many>` tells others.
 */
const seed = Number(process.env['LANE_SEED'] ?? 1);
const path = process.env['LANE_PATH'];
const histories = Number(process.env['LANE_HISTORIES'] ?? 6_000);

/** The fate of a request that is under way when its process crashes. */
interface Crash {
  readonly wasReceived: boolean;
  readonly wasRecorded: boolean;
}

/** One thing that happens, with all the chance there is in it. */
type Step =
  | { readonly does: 'change'; readonly granted: boolean }
  | { readonly does: 'pass'; readonly ms: number }
  | { readonly does: 'apply'; readonly entries: number }
  | { readonly does: 'answer'; readonly answer: Answer }
  | { readonly does: 'crash' | 'lose rows'; readonly crash: Crash }
  | { readonly does: 'come back'; readonly turnMs: number }
  | { readonly does: 'finish' | 'work' | 'bring a token' | 'leave' };

/** A provider's answer; none when the result is unknown, whether or not the phone has received the push. */
type Answer = 'accepted' | 'refused for now' | 'received unheard' | 'lost unheard' | 'refused for good';

interface History {
  readonly platform: 'ios' | 'android';
  readonly lifetimeMs: number;
  readonly turnMs: number;
  readonly steps: readonly Step[];
}

const answers: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 75, arbitrary: fc.constant('accepted' as const) },
  { weight: 10, arbitrary: fc.constant('refused for now' as const) },
  { weight: 6, arbitrary: fc.constant('received unheard' as const) },
  { weight: 6, arbitrary: fc.constant('lost unheard' as const) },
  { weight: 3, arbitrary: fc.constant('refused for good' as const) },
);

const crashes: fc.Arbitrary<Crash> = fc.record({
  wasReceived: fc.constantFrom(true, true, true, false, false),
  wasRecorded: fc.boolean(),
});

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 24,
    arbitrary: fc.record({
      does: fc.constant('change' as const),
      granted: fc.constantFrom(true, false, false, false),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ does: 'finish' as const }) },
  {
    weight: 18,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      ms: fc.constantFrom(5, 50, 300, 1_000, 2_500, 10_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      ms: fc.constantFrom(60_000, 700_000, 4_000_000),
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({ does: fc.constant('apply' as const), entries: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 16, arbitrary: fc.constant({ does: 'work' as const }) },
  { weight: 14, arbitrary: fc.record({ does: fc.constant('answer' as const), answer: answers }) },
  { weight: 3, arbitrary: fc.constant({ does: 'bring a token' as const }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('crash' as const), crash: crashes }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('lose rows' as const), crash: crashes }) },
  { weight: 1, arbitrary: fc.constant({ does: 'leave' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('come back' as const), turnMs: fc.constantFrom(0, 2_000) }),
  },
);

const anyHistory: fc.Arbitrary<History> = fc.record({
  platform: fc.constantFrom('ios' as const, 'android' as const),
  lifetimeMs: fc.constantFrom(60_000, 600_000, 28_800_000),
  turnMs: fc.constantFrom(0, 0, 2_000, 6_000),
  steps: fc.array(steps, { maxLength: 130, size: 'max' }),
});

/** The contents of the log, in order. */
type Entry =
  | { readonly is: 'begun'; readonly at: number; readonly turn: number }
  | { readonly is: 'updated'; readonly sequence: number; readonly granted: boolean; readonly at: number }
  | { readonly is: 'ended'; readonly sequence: number; readonly at: number }
  | { readonly is: 'expired'; readonly sequence: number; readonly at: number }
  | { readonly is: 'token'; readonly hash: string; readonly at: number }
  | { readonly is: 'gone'; readonly at: number }
  | { readonly is: 'returned'; readonly at: number; readonly turn: number }
  | { readonly is: 'pushed'; readonly settlement: Settlement; readonly at: number };

interface Request {
  readonly operation: LaneOperation;
  readonly timestamp: number;
  readonly wire: number;
  readonly token: string | null;
  readonly owed: readonly Settlement[];
}

/** A phone that shows the last push that it received, and remembers all pushes. */
class Phone {
  readonly got: Request[] = [];
  token: string | undefined;
  deadTokens = new Set<string>();

  constructor(
    readonly platform: 'ios' | 'android',
    private readonly say: (what: string) => never,
  ) {}

  get last(): Request | undefined {
    return this.got.at(-1);
  }

  receive(request: Request): void {
    const { last } = this;
    if (last) {
      if (request.wire < last.wire) this.say(`sequence ${request.wire} came after ${last.wire}`);
      if (request.timestamp <= last.timestamp)
        this.say(`timestamp ${request.timestamp} came after ${last.timestamp}`);
      const isEnd = last.operation.kind === 'end' && !last.operation.isFarewell;
      if (isEnd && request.operation.kind !== 'end')
        this.say(`a ${request.operation.kind} came after the end`);
    }
    this.got.push(request);
  }
}

class World {
  readonly phone: Phone;
  private readonly log: Entry[] = [];
  private applied = 0;
  private lane: Lane | undefined;
  private underWay: Request | undefined;
  private record: LaneRecord = laneRecord.initial;
  private now = 1_800_000_000_000;
  private sequence = 1;
  private readonly expiresAt: number;
  private isEnded = false;
  private isGone = false;
  private hasExpired = false;
  private tokens = 0;
  private doubtful = false;
  private hasLostRows = false;
  /** The phone received a push that the log does not have. */
  private isUnrecorded = false;
  readonly story: string[] = [];
  /** All of it was told, whatever went wrong on the way. */
  isWhole = false;

  constructor(private readonly history: History) {
    this.phone = new Phone(history.platform, (what) => this.fail(what));
    this.expiresAt = this.now + history.lifetimeMs;
    this.append({ is: 'begun', at: this.now, turn: this.now + history.turnMs });
  }

  fail(what: string): never {
    throw new Error(`${what}\n${this.story.slice(-60).join('\n')}`);
  }

  run(): void {
    for (const step of this.history.steps) this.take(step);
    this.settleDown();
    this.check();
  }

  // ------------------------------------------------------------------------------------------------- histories

  private take(step: Step): void {
    switch (step.does) {
      case 'change':
        this.change(step.granted);
        break;
      case 'finish':
        this.finish();
        break;
      case 'pass':
        this.pass(step.ms);
        break;
      case 'apply':
        this.apply(step.entries);
        break;
      case 'work':
        this.work();
        break;
      case 'answer':
        this.answer(step.answer);
        break;
      case 'bring a token':
        this.tokenComes();
        break;
      case 'crash':
        this.crash(step.crash);
        break;
      case 'lose rows':
        this.loseRows(step.crash);
        break;
      case 'leave':
        this.leave();
        break;
      case 'come back':
        this.comeBack(step.turnMs);
        break;
    }
    if (this.now >= this.expiresAt) this.expire();
  }

  private change(granted: boolean): void {
    if (this.isEnded || this.hasExpired || this.now >= this.expiresAt) return;
    this.sequence += 1;
    this.append({ is: 'updated', sequence: this.sequence, granted, at: this.now });
  }

  private finish(): void {
    if (this.isEnded || this.hasExpired || this.now >= this.expiresAt) return;
    this.isEnded = true;
    this.sequence += 1;
    this.append({ is: 'ended', sequence: this.sequence, at: this.now });
  }

  private expire(): void {
    if (this.isEnded || this.hasExpired) return;
    this.hasExpired = true;
    this.sequence += 1;
    this.append({ is: 'expired', sequence: this.sequence, at: this.now });
  }

  private pass(ms: number): void {
    this.now += ms;
  }

  /** The phone has a first token once it shows the activity, and later now and then another. */
  private tokenComes(): void {
    const { phone } = this;
    if (phone.platform !== 'ios' || !phone.got.some(({ operation }) => operation.kind === 'start')) return;
    if (phone.last?.operation.kind === 'end') return;
    if (phone.token !== undefined) phone.deadTokens.add(phone.token);
    this.tokens += 1;
    phone.token = `token ${this.tokens}`;
    this.append({ is: 'token', hash: phone.token, at: this.now });
  }

  private leave(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.append({ is: 'gone', at: this.now });
  }

  private comeBack(turnMs: number): void {
    this.isGone = false;
    this.append({ is: 'returned', at: this.now, turn: this.now + turnMs });
  }

  // -------------------------------------------------------------------------------------------- the real thing

  private append(entry: Entry): void {
    this.log.push(entry);
    if (entry.is === 'pushed') this.record = laneRecord.evolve(this.record, eventOf(entry.settlement));
    this.story.push(`${this.now} log ${JSON.stringify(entry)}`);
  }

  /** The process follows the log, with or without delay. */
  private apply(entries: number): void {
    for (const entry of this.log.slice(this.applied, this.applied + entries)) {
      this.applied += 1;
      this.lane = this.follow(this.lane, entry);
      if (this.lane?.isUnderWay === false) this.underWay = undefined;
    }
  }

  private follow(lane: Lane | undefined, entry: Entry): Lane | undefined {
    const { expiresAt } = this;
    const { platform } = this.phone;
    if (entry.is === 'begun')
      return begun({
        platform,
        sequence: 1,
        expiresAtMs: expiresAt,
        notBeforeMs: entry.turn,
        isRemade: this.hasLostRows,
      });
    if (!lane) return undefined;
    switch (entry.is) {
      case 'updated':
        return updated(lane, {
          sequence: entry.sequence,
          priority: entry.granted ? 10 : 5,
          isRoutine: !entry.granted,
          atMs: entry.at,
        });
      case 'ended':
        return ended(lane, { sequence: entry.sequence, dismissAtMs: entry.at, atMs: entry.at });
      case 'expired':
        return expired(lane, { sequence: entry.sequence, atMs: entry.at });
      case 'token':
        return registered(lane, { hash: entry.hash, sealed: '', environment: 'sandbox' }, entry.at);
      case 'gone':
        return gone(lane, { code: 'device_removed', withFarewell: true, atMs: entry.at });
      case 'returned':
        return restarted(lane, { notBeforeMs: entry.turn, atMs: entry.at });
      case 'pushed':
        return heard(lane, entry.settlement, entry.at);
    }
  }

  private work(): void {
    const { lane } = this;
    if (!lane || lane.isUnderWay) return;
    const due = dueAt(lane);
    if (due === null || due > this.now) return;
    if (this.doubtful) {
      // The log may have more events of it: these come first.
      this.doubtful = false;
      this.apply(this.log.length);
      return;
    }
    const turn = take(lane, this.now);
    this.lane = turn.lane;
    const { send } = turn;
    if (!send) {
      this.report(turn.lane.owed);
      return;
    }
    const { operation, timestamp } = send;
    this.underWay = {
      operation,
      timestamp,
      wire: operation.sequence + turn.lane.shift + (operation.isFarewell ? 1 : 0),
      token: operation.kind === 'start' ? null : (turn.lane.token?.hash ?? null),
      owed: turn.lane.owed,
    };
    this.story.push(`${this.now} takes ${JSON.stringify(this.underWay)}`);
  }

  private answer(answer: Answer): void {
    const { underWay: request, phone } = this;
    if (!request) return;
    this.underWay = undefined;
    if (request.token !== null && phone.platform === 'ios' && phone.deadTokens.has(request.token)) {
      this.lane = tokenDied(this.lane!, request.token, this.now);
      this.story.push(`${this.now} the token was dead`);
      return;
    }
    this.story.push(`${this.now} ${answer}`);
    if (answer === 'accepted') {
      phone.receive(request);
      this.settled(request, 'accepted');
    } else if (answer === 'refused for good') {
      this.settled(request, 'failed');
    } else {
      if (answer === 'received unheard') {
        phone.receive(request);
        this.isUnrecorded = true;
      }
      const progress = { failures: 1, throttles: 0, ambiguous: answer !== 'refused for now' };
      this.lane = waits(this.lane!, { untilMs: this.now + 2_000, held: null, progress, atMs: this.now });
    }
  }

  private settled({ operation, owed }: Request, outcome: 'accepted' | 'failed'): void {
    this.isUnrecorded = false;
    if (operation.isFarewell) {
      this.lane = farewellDone(this.lane!);
      this.report(owed);
      return;
    }
    const { kind, sequence, round } = operation;
    this.report([{ kind, sequence, round, outcome, errorCode: null }, ...owed]);
  }

  private report(settlements: readonly Settlement[]): void {
    const events = settle({
      activityId: 'act_1',
      deviceId: 'dev_1',
      accountId: 'usr_1',
      settlements,
      at: '',
    })(this.record);
    for (const event of events)
      if (event.type === 'ActivityPushed')
        this.append({ is: 'pushed', settlement: settlementOf(event), at: this.now });
    // Events already in the log are processed anyway.
    if (events.length === 0) this.apply(this.log.length);
  }

  /** The process crashes; its request under way may or may not have been sent, and may or may not be recorded. */
  private crash({ wasReceived, wasRecorded }: Crash): void {
    const { underWay } = this;
    this.underWay = undefined;
    if (underWay && wasReceived) {
      const isDead = underWay.token !== null && this.phone.deadTokens.has(underWay.token);
      if (!isDead) {
        this.phone.receive(underWay);
        this.isUnrecorded = true;
        if (wasRecorded) this.settled(underWay, 'accepted');
      }
    }
    if (this.lane?.isUnderWay) this.lane = released(this.lane, this.now);
    this.doubtful = true;
    this.story.push(`${this.now} crash`);
  }

  /** The database is emptied: everything is rebuilt from the log, while processing continues. */
  private loseRows(crash: Crash): void {
    // Timestamps are dated ahead by some seconds then: this does not happen twice in a breath.
    this.pass(30_000);
    this.crash(crash);
    // Only the rows store whether a device that left and registered again gets a start or an update. When they are lost
    // at the moment in which it was sent, it is sent again.
    if (this.isUnrecorded && this.log.some(({ is }) => is === 'gone')) return;
    this.story.push(`${this.now} the rows are lost`);
    this.hasLostRows = true;
    this.lane = undefined;
    this.applied = 0;
  }

  // -------------------------------------------------------------------------------------------------- the end

  /** Faults stop, time goes on, and everybody does their part. */
  private settleDown(): void {
    for (let quiet = 0; quiet < 3;) {
      this.apply(this.log.length);
      const { phone } = this;
      const isRunning = phone.last !== undefined && phone.last.operation.kind !== 'end';
      if (phone.platform === 'ios' && isRunning && phone.token === undefined) this.tokenComes();
      if (this.underWay) {
        this.answer('accepted');
        quiet = 0;
        continue;
      }
      const due = this.lane && dueAt(this.lane);
      if (due === null || due === undefined || due > this.expiresAt + 2 * expiryGraceMs) {
        quiet += 1;
        continue;
      }
      // Not past the deadline on its own: what is due before comes before.
      if (due > this.now) this.now = due;
      if (this.now >= this.expiresAt) this.expire();
      this.apply(this.log.length);
      this.work();
      quiet = 0;
      if (this.story.length > 20_000) this.fail('it never comes to rest');
    }
  }

  private check(): void {
    const lane = this.lane!;
    const changes = this.log.filter(({ is }) => /^(begun|updated|ended|expired)$/.test(is)).length;
    const { accepted, failed, superseded, dropped } = lane.counts;
    const waiting = lane.waiting.filter(({ isFarewell }) => !isFarewell);
    const told = this.log.flatMap((entry) => (entry.is === 'pushed' ? [entry.settlement] : []));
    // Content sent again, to another token or after a new registration, is a separate operation.
    const repeats = [...told, ...waiting].filter(({ round }) => round > 0).length;
    const asked = changes + repeats;
    const queued = waiting.length;
    if (accepted + failed + superseded + dropped + queued !== asked)
      this.fail(`${JSON.stringify(lane.counts)} and ${queued} queued are not ${asked}`);
    if (lane.owed.length > 0) this.fail('the log does not know all');
    this.checkLog(lane);
    this.checkPhone(lane);
  }

  /** The log has one outcome for each operation, and the same as the lane. */
  private checkLog({ counts }: Lane): void {
    const told = this.log.flatMap((entry) => (entry.is === 'pushed' ? [entry.settlement] : []));
    const keys = told.map(({ kind, sequence, round }) => `${kind} ${sequence} ${round}`);
    if (new Set(keys).size !== keys.length) this.fail('the log says it twice');
    for (const outcome of ['accepted', 'failed', 'superseded', 'dropped'] as const)
      if (told.filter((one) => one.outcome === outcome).length !== counts[outcome])
        this.fail(`the log has another number of ${outcome} than ${counts[outcome]}`);
  }

  private checkPhone(lane: Lane): void {
    const { last } = this.phone;
    const told = this.log.flatMap((entry) => (entry.is === 'pushed' ? [entry.settlement] : []));
    const accepted = told.filter(({ outcome }) => outcome === 'accepted').map(({ sequence }) => sequence);
    const newest = Math.max(0, ...accepted);
    if (!last) {
      if (newest > 0) this.fail(`${newest} was accepted, and the phone has nothing`);
      return;
    }
    if (last.operation.sequence < newest)
      this.fail(`the phone has ${last.operation.sequence}, not ${newest}`);
    // Whatever failed on the way: without permanent failures and expired operations, the phone is up to date.
    const isWhole = told.every(({ outcome }) => outcome === 'accepted' || outcome === 'superseded');
    if (!isWhole || lane.waiting.length > 0 || last.operation.isFarewell) return;
    if (last.operation.sequence !== this.sequence || newest !== this.sequence)
      this.fail(`the phone has ${last.operation.sequence}, and the newest is ${this.sequence}`);
    if ((this.isEnded || this.hasExpired) !== (last.operation.kind === 'end'))
      this.fail('the phone does not know that it has ended');
    this.isWhole = true;
  }
}

const eventOf = ({ kind, sequence, round, outcome, errorCode }: Settlement): LaneEvent => ({
  type: 'ActivityPushed',
  activityId: 'act_1',
  deviceId: 'dev_1',
  accountId: 'usr_1',
  operation: kind,
  sequence,
  ...(round > 0 && { round }),
  outcome,
  errorCode,
  pushedAt: '',
});

describe('a lane', () => {
  it(`keeps its promises through ${histories} random histories`, () => {
    let whole = 0;
    fc.assert(
      fc.property(anyHistory, (history) => {
        const world = new World(history);
        world.run();
        if (world.isWhole) whole += 1;
      }),
      { seed, numRuns: histories, ...(path !== undefined && { path, endOnFailure: true }) },
    );
    // Otherwise the histories would consist of refusals only.
    if (path === undefined) expect(whole).toBeGreaterThan(histories / 5);
  });
});
