import type { LaneEvent } from '@carillon/contracts';
import { expiryGraceMs, begun, ended, expired, updated } from './activity';
import { dueAt, take } from './due';
import type { Lane, Operation, Settlement } from './lane';
import { heard } from './outcome';
import { gone, registered, restarted } from './phone';
import { farewellDone, released, tokenDied, waits } from './rest';
import { type LaneRecord, laneRecord, settle, settlementOf } from './record';

/** One seed is one history. `LANE_SEED=<seed>` tells a single one again. */
const histories = 6_000;
const firstSeed = Number(process.env['LANE_SEED'] ?? 1);
const count = process.env['LANE_SEED'] === undefined ? Number(process.env['LANE_HISTORIES'] ?? histories) : 1;

class Chance {
  constructor(private state: number) {}

  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }

  one<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)]!;
  }
}

/** What the log holds, in its order. */
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
  readonly operation: Operation;
  readonly timestamp: number;
  readonly wire: number;
  readonly token: string | null;
  readonly owed: readonly Settlement[];
}

/** A phone that shows what it gets last, as a provider hands it over. It remembers all it got. */
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
  readonly chance: Chance;
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
  private faults = true;
  private tokens = 0;
  private doubtful = false;
  private hasLostRows = false;
  /** The phone got something of which the log does not know. */
  private isUnrecorded = false;
  readonly story: string[] = [];
  /** All of it was told, whatever went wrong on the way. */
  isWhole = false;

  constructor(readonly seed: number) {
    this.chance = new Chance(seed);
    const platform = this.chance.one(['ios', 'android'] as const);
    this.phone = new Phone(platform, (what) => this.fail(what));
    this.expiresAt = this.now + 1_000 * this.chance.one([60, 600, 28_800]);
    this.append({ is: 'begun', at: this.now, turn: this.now + this.chance.one([0, 0, 2_000, 6_000]) });
  }

  fail(what: string): never {
    throw new Error(`${what}\nLANE_SEED=${this.seed}\n${this.story.slice(-60).join('\n')}`);
  }

  run(): void {
    const steps = 10 + this.chance.below(110);
    for (let step = 0; step < steps; step += 1) this.step();
    this.settleDown();
    this.check();
  }

  // ------------------------------------------------------------------------------------------------- histories

  private step(): void {
    const draw = this.chance.below(100);
    if (draw < 24) this.change();
    else if (draw < 27) this.finish();
    else if (draw < 45) this.pass(this.chance.one([5, 50, 300, 1_000, 2_500, 10_000]));
    else if (draw < 46) this.pass(this.chance.one([60_000, 700_000, 4_000_000]));
    else if (draw < 62) this.apply(1 + this.chance.below(4));
    else if (draw < 78) this.work();
    else if (draw < 92) this.answer();
    else if (draw < 95) this.tokenComes();
    else if (draw < 97) this.crash();
    else if (draw < 98) this.loseRows();
    else if (draw < 99) this.leave();
    else this.comeBack();
    if (this.now >= this.expiresAt) this.expire();
  }

  private change(): void {
    if (this.isEnded || this.hasExpired || this.now >= this.expiresAt) return;
    this.sequence += 1;
    this.append({ is: 'updated', sequence: this.sequence, granted: this.chance.is(0.25), at: this.now });
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
    if (this.isGone || !this.faults) return;
    this.isGone = true;
    this.append({ is: 'gone', at: this.now });
  }

  private comeBack(): void {
    this.isGone = false;
    this.append({ is: 'returned', at: this.now, turn: this.now + this.chance.one([0, 2_000]) });
  }

  // -------------------------------------------------------------------------------------------- the real thing

  private append(entry: Entry): void {
    this.log.push(entry);
    if (entry.is === 'pushed') this.record = laneRecord.evolve(this.record, eventOf(entry.settlement));
    this.story.push(`${this.now} log ${JSON.stringify(entry)}`);
  }

  /** The process follows the log, later or sooner. */
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
      // The log may have more of it: that comes first.
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

  private answer(): void {
    const { underWay: request, phone } = this;
    if (!request) return;
    const { operation } = request;
    this.underWay = undefined;
    const draw = this.faults ? this.chance.below(100) : 0;
    if (request.token !== null && phone.platform === 'ios' && phone.deadTokens.has(request.token)) {
      this.lane = tokenDied(this.lane!, request.token, this.now);
      this.story.push(`${this.now} the token was dead`);
      return;
    }
    const progress = { failures: 1, throttles: 0, ambiguous: draw >= 85 };
    const later = { untilMs: this.now + 2_000, held: null, progress, atMs: this.now };
    if (draw < 75) {
      phone.receive(request);
      this.settled(request, 'accepted');
    } else if (draw < 85) {
      this.story.push(`${this.now} refused for now`);
      this.lane = waits(this.lane!, later);
    } else if (draw < 97) {
      if (this.chance.is(0.5)) {
        phone.receive(request);
        this.isUnrecorded = true;
      }
      this.story.push(`${this.now} nobody knows`);
      this.lane = waits(this.lane!, later);
    } else {
      this.story.push(`${this.now} refused for good ${operation.kind}`);
      this.settled(request, 'failed');
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
    // What the log had already comes by itself.
    if (events.length === 0) this.apply(this.log.length);
  }

  /** The process dies; the request it had under way may have gone out or not, and may be recorded or not. */
  private crash(): void {
    const { underWay } = this;
    this.underWay = undefined;
    if (underWay && this.chance.is(0.6)) {
      const isDead = underWay.token !== null && this.phone.deadTokens.has(underWay.token);
      if (!isDead) {
        this.phone.receive(underWay);
        this.isUnrecorded = true;
        if (this.chance.is(0.5)) this.settled(underWay, 'accepted');
      }
    }
    if (this.lane?.isUnderWay) this.lane = released(this.lane, this.now);
    this.doubtful = true;
    this.story.push(`${this.now} crash`);
  }

  /** The database is emptied: all is made again from the log, while work goes on. */
  private loseRows(): void {
    // Timestamps are dated ahead by some seconds then: this does not happen twice in a breath.
    this.pass(30_000);
    this.crash();
    // Only the rows know whether a device that left and came back is told anew by a start or by an update. When they go
    // in the very moment in which that was sent, it is sent once more.
    if (this.isUnrecorded && this.log.some(({ is }) => is === 'gone')) return;
    this.story.push(`${this.now} the rows are lost`);
    this.hasLostRows = true;
    this.lane = undefined;
    this.applied = 0;
  }

  // -------------------------------------------------------------------------------------------------- the end

  /** Faults stop, time goes on, and everybody does their part. */
  private settleDown(): void {
    this.faults = false;
    for (let quiet = 0; quiet < 3;) {
      this.apply(this.log.length);
      const { phone } = this;
      const isRunning = phone.last !== undefined && phone.last.operation.kind !== 'end';
      if (phone.platform === 'ios' && isRunning && phone.token === undefined) this.tokenComes();
      if (this.underWay) {
        this.answer();
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
    // What was told anew, to another token or after a new registration, is an operation of its own.
    const repeats = [...told, ...waiting].filter(({ round }) => round > 0).length;
    const asked = changes + repeats;
    const queued = waiting.length;
    if (accepted + failed + superseded + dropped + queued !== asked)
      this.fail(`${JSON.stringify(lane.counts)} and ${queued} queued are not ${asked}`);
    if (lane.owed.length > 0) this.fail('the log does not know all');
    this.checkLog(lane);
    this.checkPhone(lane);
  }

  /** The log says of each operation once what became of it, and the same as the lane. */
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
    // Whatever went wrong on the way: when nothing was refused for good and nothing too late, the phone is up to date.
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
  it(`keeps its promises through ${count} random histories`, () => {
    let whole = 0;
    for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
      const world = new World(seed);
      world.run();
      if (world.isWhole) whole += 1;
    }
    // Else the histories would be about refusals only.
    if (count > 1) expect(whole).toBeGreaterThan(count / 5);
  });
});
