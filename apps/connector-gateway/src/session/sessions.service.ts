import { looksLikeSecret } from '@carillon/signing';
import { LRUCache } from 'lru-cache';
import type { Access, Carillon } from '../carillon/carillon.client';
import type { Route } from '../routing/route';
import { Allowance } from './allowance';
import { Bag } from './bag';
import { type Grant, type Standing, standingOf } from './standing';

/** A grant with the word for it that the app can check. */
export interface Vouched extends Grant {
  readonly assertion: string;
}

/** Something that a session has open. */
export interface Held {
  /** Ends it, because of how the session stands now. */
  cut(standing: Standing<Vouched>): void;
}

interface Open {
  readonly route: Route;
  readonly session: string;
  readonly held: Bag<Held>;
  /** When the last question was asked that was answered with yes. */
  goodAt: number;
}

/** So long an answer is worth anything, from when it was asked for. */
const worthMs = 5_000;
/** So long it is asked for no other: what is left is for the next one to come. */
const freshMs = 2_500;
/** How often `look` is to be called. */
export const lookMs = 250;
const remembered = 10_000;
/** Half of what a token may ask. */
const unknownPerMinute = 300;

/**
 * Who may use which route, as Carillon says. A session is asked about anew when the last answer is older than two and
 * a half seconds, once for all who need it; where none comes, the last one counts until it is five seconds old. While a
 * session has anything open it is asked about all the time, and what it has open is cut when it is refused, or when
 * nothing has been heard for 5 seconds.
 */
export class Sessions {
  private readonly standings: LRUCache<string, Standing<Vouched>>;
  /** Sessions that were good once, so that made-up ones do not take their turn. */
  private readonly proven = new LRUCache<string, true>({ max: remembered });
  private readonly asking = new Map<string, Promise<Standing<Vouched>>>();
  private readonly open = new Map<string, Open>();
  private readonly unknown: Allowance;

  constructor(
    private readonly carillon: Pick<Carillon, 'redeem' | 'revalidate'>,
    private readonly vouch: (grant: Grant, route: Route) => Promise<string>,
    private readonly clock: { now(): number } = performance,
  ) {
    this.standings = new LRUCache({ max: remembered, ttl: worthMs, ttlResolution: 0, perf: clock });
    this.unknown = new Allowance(unknownPerMinute, clock);
  }

  /** Spends a pass. */
  async redeem(route: Route, pass: string, access: Access): Promise<Standing<Vouched>> {
    if (!looksLikeSecret(pass, 'carillon_pass_')) return { kind: 'ended' };
    if (!this.unknown.take()) return { kind: 'away', why: 'too many passes at once' };
    const asked = this.clock.now();
    const standing = await this.vouched(standingOf(await this.carillon.redeem(pass, access)), route);
    if (standing.kind === 'open') this.keep(keyOf(route, standing.grant.session), standing, asked);
    return standing;
  }

  /** How a session stands: at once when that is known. */
  standing(route: Route, session: string, access: Access): Standing<Vouched> | Promise<Standing<Vouched>> {
    const key = keyOf(route, session);
    const known = this.standings.get(key);
    if (known && this.ageOf(key) < freshMs) return known;
    if (!looksLikeSecret(session, 'carillon_gws_')) return { kind: 'ended' };
    return this.ask(route, session, access).then((standing) =>
      standing.kind === 'away' ? (this.standings.get(key) ?? standing) : standing,
    );
  }

  private ageOf(key: string): number {
    return worthMs - this.standings.getRemainingTTL(key);
  }

  /** Keeps watch over something that the session has open; gives undefined when it has too much. Call the answer when it is over. */
  hold(route: Route, session: string, held: Held, limit: number): (() => void) | undefined {
    const key = keyOf(route, session);
    let open = this.open.get(key);
    if (!open) {
      open = { route, session, held: new Bag(), goodAt: this.clock.now() - this.ageOf(key) };
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

  private ask(route: Route, session: string, access: Access): Promise<Standing<Vouched>> {
    const key = keyOf(route, session);
    const under = this.asking.get(key);
    if (under) return under;
    if (!this.proven.has(key) && !this.unknown.take())
      return Promise.resolve({ kind: 'away', why: 'too many unknown sessions at once' });
    const asked = this.clock.now();
    const question = this.carillon
      .revalidate(session, access)
      .then((answer) => this.vouched(standingOf(answer), route))
      .then((standing) => {
        this.keep(key, standing, asked);
        return standing;
      })
      .finally(() => this.asking.delete(key));
    this.asking.set(key, question);
    return question;
  }

  private async vouched(standing: Standing, route: Route): Promise<Standing<Vouched>> {
    if (standing.kind !== 'open') return standing;
    const { grant } = standing;
    return { kind: 'open', grant: { ...grant, assertion: await this.vouch(grant, route) } };
  }

  private keep(key: string, standing: Standing<Vouched>, start: number): void {
    if (standing.kind === 'away') return;
    this.standings.set(key, standing, { start });
    const open = this.open.get(key);
    if (standing.kind === 'open') {
      this.proven.set(key, true);
      if (open) open.goodAt = start;
    } else if (open) this.cut(key, open, standing);
  }

  private cut(key: string, { held }: Open, standing: Standing<Vouched>): void {
    this.open.delete(key);
    for (const each of held.all) each.cut(standing);
  }

  /** Asks about the sessions that have something open, and cuts what nothing has been heard of in time. */
  look(): void {
    const now = this.clock.now();
    for (const [key, open] of [...this.open]) {
      const age = now - open.goodAt;
      if (age >= worthMs - lookMs) this.cut(key, open, { kind: 'away', why: 'no answer in time' });
      else if (age >= freshMs)
        void this.ask(open.route, open.session, { route: open.route.name, method: 'GET', path: '/' });
    }
  }
}

const keyOf = (route: Route, session: string): string => `${route.name} ${session}`;
