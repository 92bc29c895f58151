import { connect, type NatsConnection } from '@nats-io/transport-node';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { House } from './house';

/** The cost of a request: messages on NATS, statements in Postgres, events and wakes. */
export interface Cost {
  /** Messages sent to NATS by all clients. */
  readonly messages: number;
  /** Statements in Postgres, including those that begin and end transactions. */
  readonly statements: number;
  readonly transactions: number;
  /** Statements that advance the checkpoints of projections. */
  readonly checkpoints: number;
  readonly events: number;
  /** Wakes of projections and processes for events of the log. */
  readonly wakes: number;
}

/** A message on NATS, with its reply subject. */
interface NatsMessage {
  readonly subject: string;
  readonly reply: string | undefined;
}

interface Statement {
  readonly who: string;
  readonly text: string;
}

const sampleMs = 100;
/** Longer than any pause within the processing of a request. */
const quietMs = 1_200;
const atMostMs = 20_000;

/**
 * Counts from outside what a house does for a request: the messages that NATS was sent, the statements that Postgres
 * wrote into its log, the events of the log. Periodic messages and statements of an idle house are not counted.
 */
export class Meter {
  private readonly idle = new Set<string>();

  private readonly sent: NatsMessage[] = [];

  private constructor(
    private readonly house: House,
    private readonly nats: NatsConnection,
    private readonly events: () => Promise<number>,
  ) {}

  /** Turns on the statement log of Postgres, and samples the idle house. */
  static async of(
    house: House,
    natsUrl: string,
    events: () => Promise<number>,
    idleMs: number,
  ): Promise<Meter> {
    const client = new pg.Client({ connectionString: house.state.databaseUrl });
    await client.connect();
    try {
      for (const setting of [
        `log_line_prefix = '<%a> '`,
        `log_parameter_max_length = 0`,
        `log_statement = 'all'`,
      ])
        await client.query(`ALTER SYSTEM SET ${setting}`);
      await client.query(`SELECT pg_reload_conf()`);
    } finally {
      await client.end();
    }
    const meter = new Meter(house, await connect({ servers: natsUrl }), events);
    await meter.listen();
    await meter.settle();
    const from = meter.logged();
    const sentFrom = meter.sent.length;
    await sleep(idleMs);
    // The scrapes of the metrics are not part of the cost.
    await meter.wakes();
    for (const { subject } of meter.sent.slice(sentFrom)) meter.idle.add(subject);
    for (const { who, text } of meter.asked(from)) meter.idle.add(`${who} ${text}`);
    return meter;
  }

  /**
   * The cost of the work until the house is quiet again, over `times` runs: minimum and median. `before` is not
   * counted. The first run within `mayBe` ends the measurement.
   */
  async cost(
    work: () => Promise<unknown>,
    times: number,
    before: () => Promise<unknown>,
    mayBe?: Cost,
  ): Promise<{ least: Cost; usual: Cost }> {
    const seen: Cost[] = [];
    const at = (share: number): Cost => ranked(seen, Math.floor((seen.length - 1) * share));
    while (seen.length < times) {
      await before();
      const now = await this.once(work);
      seen.push(now);
      if (mayBe && isWithin(now, mayBe)) return { least: now, usual: now };
    }
    return { least: at(0), usual: at(0.5) };
  }

  private async once(work: () => Promise<unknown>): Promise<Cost> {
    const wakes = await this.wakes();
    const from = this.logged();
    const sent = this.sentBusily;
    const events = await this.events();
    await work();
    await this.settle();
    const asked = this.asked(from).filter((each) => !this.isIdle(each));
    const count = (which: RegExp): number => asked.filter(({ text }) => which.test(text)).length;
    return {
      messages: this.sentBusily - sent,
      statements: asked.length,
      transactions: count(/^COMMIT/),
      checkpoints: count(/^UPDATE projection_checkpoints/),
      events: (await this.events()) - events,
      wakes: (await this.wakes()) - wakes,
    };
  }

  private async wakes(): Promise<number> {
    const told = await Promise.all(this.house.metricsUrls.map(async (url) => (await fetch(url)).text()));
    return told.reduce((sum, text) => sum + Number(/^carillon_wakes_total (\d+)$/m.exec(text)?.[1]), 0);
  }

  private async listen(): Promise<void> {
    this.nats.subscribe('>', {
      callback: (_, { subject, reply }) => void this.sent.push({ subject, reply }),
    });
    await this.nats.flush();
  }

  async close(): Promise<void> {
    await this.nats.close();
  }

  private get sentBusily(): number {
    const byTheClock = ({ subject }: NatsMessage): boolean => this.idle.has(subject);
    const answers = new Set(this.sent.filter(byTheClock).map(({ reply }) => reply));
    return this.sent.filter((each) => !byTheClock(each) && !answers.has(each.subject)).length;
  }

  private isIdle({ who, text }: Statement): boolean {
    return this.idle.has(`${who} ${text}`);
  }

  /** Until nothing more is done than by an idle house. */
  private async settle(): Promise<void> {
    const from = this.logged();
    let quietSince = Date.now();
    let last = '';
    for (const until = Date.now() + atMostMs; Date.now() - quietSince < quietMs && Date.now() < until;) {
      await sleep(sampleMs);
      const asked = this.asked(from).filter((each) => !this.isIdle(each)).length;
      const now = `${this.sentBusily} ${this.idle.size === 0 ? '' : asked}`;
      if (now !== last) quietSince = Date.now();
      last = now;
    }
  }

  private log(): string {
    return readFileSync(join(this.house.dataDir, 'logs', 'postgres.log'), 'utf8');
  }

  private logged(): number {
    return this.log().length;
  }

  /** What Postgres has written down since, a statement in one line. */
  private asked(from: number): Statement[] {
    return this.log()
      .slice(from)
      .replaceAll(/\n\t/g, ' ')
      .split('\n')
      .flatMap((line) => {
        const [, who, text] = /^<([^>]*)> LOG: {2}(?:statement|execute [^:]*): (.*)$/.exec(line) ?? [];
        return who === undefined || text === undefined ? [] : [{ who, text: text.replaceAll(/\s+/g, ' ') }];
      });
  }
}

/** The value at this rank of each count, in ascending order. */
function ranked(costs: readonly Cost[], rank: number): Cost {
  const of = (count: (cost: Cost) => number): number => costs.map(count).sort((a, b) => a - b)[rank]!;
  return {
    messages: of(({ messages }) => messages),
    statements: of(({ statements }) => statements),
    transactions: of(({ transactions }) => transactions),
    checkpoints: of(({ checkpoints }) => checkpoints),
    events: of(({ events }) => events),
    wakes: of(({ wakes }) => wakes),
  };
}

const isWithin = (cost: Cost, limits: Cost): boolean =>
  (Object.keys(limits) as (keyof Cost)[]).every((each) => cost[each] <= limits[each]);
