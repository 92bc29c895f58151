import { looksLikeSecret } from '@carillon/signing';
import { LRUCache } from 'lru-cache';
import type { CarillonAnswer } from '../carillon/answer';
import type { RouteUse, Carillon } from '../carillon/carillon.client';
import type { Route } from '../routing/route';
import { SharedAllowance } from './allowance';
import { IndexedList } from './indexed-list';
import { type Grant, type GrantState, grantStateOf } from './grant-state';

/** A grant with the assertion that the app can verify. */
export interface Vouched extends Grant {
  readonly assertion: string;
}

/** An open exchange of a session. */
export interface OpenConnection {
  /** Ends the exchange, because of the state of its session. */
  cut(state: GrantState<Vouched>): void;
}

interface Open {
  readonly route: Route;
  readonly session: string;
  readonly held: IndexedList<OpenConnection>;
  /** When the last check with a positive answer was sent. */
  goodAt: number;
}

/** How long an answer is valid, from the time of the request. */
const worthMs = 5_000;
/** How long an answer is fresh, with no new check; the rest of its validity is time for the next check. */
const freshMs = 2_500;
/** So many sessions are asked about in one question. */
const perQuestion = 50;
/** How often `look` is to be called. */
export const lookMs = 250;
const remembered = 10_000;
/** In total half of the token's rate limit. */
const passesPerMinute = { each: 50, all: 150 };
const unknownPerMinute = { each: 50, all: 150 };
/** For all sessions of one person: enough for ten in constant use, of the 25 that the token's rate limit allows. */
const personPerMinute = { each: 240, all: Infinity };

/**
 * Who may use which route, as Carillon says. A session is checked again when the last answer is older than two and
 * a half seconds, once for all who need it; where none comes, the last one counts until it is five seconds old. While a
 * session has anything open it is asked about all the time, with the others of which that is so in one question, and
 * what it has open is cut when it is refused, or when nothing has been heard for 5 seconds.
 */
export class Sessions {
  private readonly statuses: LRUCache<string, GrantState<Vouched>>;
  /** The persons of sessions that were valid once, so that made-up sessions do not use their allowance. */
  private readonly proven = new LRUCache<string, string>({ max: remembered });
  private readonly asking = new Map<string, Promise<GrantState<Vouched>>>();
  private readonly open = new Map<string, Open>();
  private readonly passes: SharedAllowance;
  private readonly unknown: SharedAllowance;
  private readonly persons: SharedAllowance;

  constructor(
    private readonly carillon: Pick<Carillon, 'redeem' | 'revalidate' | 'revalidateAll' | 'busySeconds'>,
    private readonly vouch: (grant: Grant, route: Route) => Promise<string>,
    private readonly clock: { now(): number } = performance,
  ) {
    this.statuses = new LRUCache({ max: remembered, ttl: worthMs, ttlResolution: 0, perf: clock });
    this.passes = new SharedAllowance(passesPerMinute, clock);
    this.unknown = new SharedAllowance(unknownPerMinute, clock);
    this.persons = new SharedAllowance(personPerMinute, clock);
  }

  /** Spends a pass, for a visitor from this network. */
  async redeem(route: Route, pass: string, access: RouteUse, network: string): Promise<GrantState<Vouched>> {
    if (!looksLikeSecret(pass, 'carillon_pass_')) return { kind: 'ended' };
    const { busySeconds } = this.carillon;
    if (busySeconds > 0) return { kind: 'busy', retryAfterSeconds: busySeconds };
    if (!this.passes.take(network)) return tooMany;
    const asked = this.clock.now();
    const state = await this.vouched(grantStateOf(await this.carillon.redeem(pass, access)), route);
    if (state.kind === 'open') this.keep(keyOf(route, state.grant.session), state, asked);
    return state;
  }

  /** The state of a session of a visitor from this network; at once when it is known. */
  state(
    route: Route,
    session: string,
    access: RouteUse,
    network: string,
  ): GrantState<Vouched> | Promise<GrantState<Vouched>> {
    const key = keyOf(route, session);
    const known = this.statuses.get(key);
    if (known && this.ageOf(key) < freshMs) return known;
    if (!looksLikeSecret(session, 'carillon_gws_')) return { kind: 'ended' };
    return this.ask(route, session, access, network).then((state) =>
      isUnknown(state) ? (this.statuses.get(key) ?? state) : state,
    );
  }

  private ageOf(key: string): number {
    return worthMs - this.statuses.getRemainingTTL(key);
  }

  /**
   * Watches an exchange of the session; undefined when too many are open. Call the result when the exchange is over.
   */
  hold(route: Route, session: string, held: OpenConnection, limit: number): (() => void) | undefined {
    const key = keyOf(route, session);
    let open = this.open.get(key);
    if (!open) {
      open = { route, session, held: new IndexedList(), goodAt: this.clock.now() - this.ageOf(key) };
      this.open.set(key, open);
    }
    if (open.held.size >= limit) return undefined;
    const { held: all } = open;
    const release = all.add(held);
    return () => {
      release();
      if (all.size === 0 && this.open.get(key)?.held === all) this.open.delete(key);
    };
  }

  private ask(
    route: Route,
    session: string,
    access: RouteUse,
    network: string,
  ): Promise<GrantState<Vouched>> {
    const key = keyOf(route, session);
    const under = this.asking.get(key);
    if (under) return under;
    const { busySeconds } = this.carillon;
    if (busySeconds > 0) return Promise.resolve({ kind: 'busy', retryAfterSeconds: busySeconds });
    const person = this.proven.get(key);
    const mayAsk = person === undefined ? this.unknown.take(network) : this.persons.take(person);
    if (!mayAsk) return Promise.resolve(tooMany);
    return this.keepAnswer(key, route, this.carillon.revalidate(session, access));
  }

  /** Keeps what comes of a question about a session that was asked just now. */
  private keepAnswer(
    key: string,
    route: Route,
    answered: Promise<CarillonAnswer>,
  ): Promise<GrantState<Vouched>> {
    const asked = this.clock.now();
    const question = answered
      .then((answer) => this.vouched(grantStateOf(answer), route))
      .then((state) => {
        this.keep(key, state, asked);
        return state;
      })
      .finally(() => this.asking.delete(key));
    this.asking.set(key, question);
    return question;
  }

  private async vouched(state: GrantState, route: Route): Promise<GrantState<Vouched>> {
    if (state.kind !== 'open') return state;
    const { grant } = state;
    return { kind: 'open', grant: { ...grant, assertion: await this.vouch(grant, route) } };
  }

  private keep(key: string, state: GrantState<Vouched>, start: number): void {
    if (isUnknown(state)) return;
    this.statuses.set(key, state, { start });
    const open = this.open.get(key);
    if (state.kind === 'open') {
      this.proven.set(key, state.grant.user.id);
      if (open) open.goodAt = start;
    } else if (open) this.cut(key, open, state);
  }

  private cut(key: string, { held }: Open, state: GrantState<Vouched>): void {
    this.open.delete(key);
    for (const each of held.all) each.cut(state);
  }

  /** Checks the sessions with open exchanges, and cuts exchanges whose session had no answer in time. */
  look(): void {
    const now = this.clock.now();
    const unasked: [string, Open][] = [];
    for (const [key, each] of [...this.open]) {
      if (now - each.goodAt >= worthMs - lookMs)
        this.cut(key, each, { kind: 'away', why: 'no answer in time' });
      else if (!this.asking.has(key)) unasked.push([key, each]);
    }
    const olderThan = (ms: number) => unasked.filter(([, { goodAt }]) => now - goodAt >= ms);
    // What is due soon goes along, so that from then on one question is for all.
    if (olderThan(freshMs).length > 0 && this.carillon.busySeconds === 0)
      this.askAbout(olderThan(freshMs / 2));
  }

  private askAbout(open: readonly (readonly [string, Open])[]): void {
    const mayBeAsked = open.filter(([key]) => this.persons.take(this.proven.get(key) ?? ''));
    for (let from = 0; from < mayBeAsked.length; from += perQuestion) {
      const some = mayBeAsked.slice(from, from + perQuestion);
      const answers = this.carillon.revalidateAll(
        some.map(([, { route, session }]) => ({ route: route.name, session })),
      );
      some.forEach(([key, { route }], index) => {
        const own = answers.then((all) => all[index] ?? unanswered);
        void this.keepAnswer(key, route, own);
      });
    }
  }
}

/** The share of the rate limit is used up; it is restored within a minute. */
const tooMany = { kind: 'busy', retryAfterSeconds: 30 } as const;

const unanswered = { kind: 'away', why: 'no answer about it' } as const;

/** How somebody stands was not to be heard. */
const isUnknown = ({ kind }: GrantState<Vouched>): boolean => kind === 'away' || kind === 'busy';

const keyOf = (route: Route, session: string): string => `${route.name} ${session}`;
