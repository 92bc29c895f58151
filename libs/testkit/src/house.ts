import { scopes } from '@carillon/contracts';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { end, release } from './child';
import { eventually } from './eventually';
import { HouseAccount, type HousePhone } from './house-account';
import { type HouseAnswer, type HouseRequest, request } from './house-call';
import { Expectations, type LogLine, type ReceivedPush } from './house-expectations';
import { type HouseState, stateIn } from './house-state';
import { type HouseLimits, limitSettings } from './limits';
import { beginData, removeData } from './house-data';
import { runAdmin, type ToolResult } from './operator';
import { familyOf, isAlive, signalAll } from './processes';
import { type Authority, makeAuthority, Receiver } from './receiver';

export interface HouseOptions {
  readonly env?: Record<string, string>;
  /** Kept after `close`; without it a new one that is removed. */
  readonly dataDir?: string;
  readonly clock?: 'manual' | 'system';
  /** More for the command line, such as `--parts`. */
  readonly args?: readonly string[];
  /** The program that runs it; by default the Node that runs the test. */
  readonly node?: string;
  readonly readyWithinMs?: number;
  /** It may send replies to receivers on this machine, `house.receiver()`, by these names too. */
  readonly receivers?: boolean | readonly string[];
  /** `off`: no rate limits. `env` may still set one. */
  readonly limits?: HouseLimits;
  /** Ctrl-C in the terminal of the parent does not reach the house. */
  readonly ownGroup?: boolean;
}

/** A part that the house runs; in a cluster each process of a service too, such as `push-1`. */
export type HousePart =
  | 'postgres'
  | 'nats'
  | 'event-store'
  | 'simulator'
  | `link-${'postgres' | 'nats' | 'event-store'}`
  | `${string}-${1 | 2 | 3 | 4}`;

const stopWithinMs = 60_000;

/** `CARILLON_HOUSE=cluster`: every service as processes of their own, for stories that move no clock. */
const isCluster = process.env['CARILLON_HOUSE'] === 'cluster';

export const checkout = ((): string => {
  for (let at = import.meta.dirname; ; at = dirname(at)) if (existsSync(join(at, 'nx.json'))) return at;
})();

export const standaloneMain = join(checkout, 'dist/apps/standalone/src/main.js');

/**
 * The whole service as it is started on one machine, for stories told from outside. On close it fails for anything
 * that the test did not say it expects: a push, an error in the logs, a process left.
 */
export class House {
  private process: ChildProcess | undefined;
  private current: HouseState | undefined;
  private first: HouseAccount | undefined;
  private readonly expectations = new Expectations({
    simulator: (method, path, body) => this.simulator(method, path, body),
    description: (file) => request('GET', `${this.state.baseUrl}/openapi/${file}`),
  });
  private readonly ownFolder: boolean;
  private authority: Authority | undefined;
  private readonly receivers: Receiver[] = [];
  private people = 0;
  private mayBegin: boolean;
  /** By account, where the log stood when it was answered last. */
  private readonly answered = new Map<string, bigint>();
  readonly dataDir: string;

  constructor(private readonly options: HouseOptions) {
    this.ownFolder = options.dataDir === undefined;
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'carillon-house-'));
    this.mayBegin = this.ownFolder && !isCluster && !options.args?.length;
  }

  /** The secret with which the parts verify their callers; another calling process needs it. */
  get callerKey(): string {
    return (JSON.parse(readFileSync(join(this.dataDir, 'secrets.json'), 'utf8')) as { callerKey: string })
      .callerKey;
  }

  /** For another gateway beside its own. */
  get limits(): HouseLimits | undefined {
    return this.options.limits;
  }

  get state(): HouseState {
    if (!this.current) throw new Error('the house is not running');
    return this.current;
  }

  /** The metrics URL of each process. */
  get metricsUrls(): readonly string[] {
    const { metricsUrl, metricsUrls = {} } = this.state;
    return metricsUrl === null ? Object.values(metricsUrls) : [metricsUrl];
  }

  /** One gateway, without the balancer that a cluster has before several. */
  get gatewayUrl(): string {
    const port = this.environmentOf('gateway-1').get('PORT');
    return port === undefined ? this.state.baseUrl : `http://127.0.0.1:${port}`;
  }

  /** What a process that comes to its bus as this user has in its environment. */
  busSettings(user: string): Record<string, string> {
    const settings = [...this.environmentOf(`${user}-1`)].filter(([name]) => name.startsWith('NATS_'));
    return settings.length > 0 ? Object.fromEntries(settings) : { NATS_URL: this.state.natsUrl };
  }

  /** Of a process of a cluster. In a standalone none of them is: it is empty. */
  private environmentOf(part: string): ReadonlyMap<string, string> {
    const own = this.children().find((child) => child.part === part);
    if (!own) return new Map();
    const environment = readFileSync(`/proc/${own.pid}/environ`, 'utf8').split('\0');
    return new Map(environment.map((each) => each.split(/=(.*)/s).slice(0, 2) as [string, string]));
  }

  /** Whether the house's process is alive. */
  get isUp(): boolean {
    return this.process?.pid !== undefined && isAlive(this.process.pid);
  }

  /** The first account. */
  get owner(): HouseAccount {
    const { account, apiToken } = this.state;
    return (this.first ??= new HouseAccount(this, account.id, account.email, account.password, apiToken));
  }

  get phones(): { readonly ios: HousePhone; readonly android: HousePhone } {
    const of = (platform: string): HousePhone => {
      const phone = this.state.phones.find((each) => each.platform === platform);
      if (!phone) throw new Error(`the house has no ${platform} phone`);
      return phone;
    };
    return { ios: of('ios'), android: of('android') };
  }

  /** Starts it, or starts it again on the same data; `args` are for this time alone. */
  async start(env: Record<string, string> = {}, args: readonly string[] = []): Promise<void> {
    if (this.process) throw new Error('the house is running already');
    mkdirSync(this.dataDir, { recursive: true });
    if (this.mayBegin && args.length === 0) await beginData(this.dataDir, { ...this.options.env, ...env });
    this.mayBegin = false;
    const receivers = this.options.receivers ? await this.receiverSettings() : {};
    const output = openSync(this.outputFile, 'a', 0o600);
    const child = spawn(
      this.options.node ?? process.execPath,
      [
        standaloneMain,
        '--exit-with-parent',
        ...(isCluster ? ['--cluster'] : []),
        ...(this.options.args ?? []),
        ...args,
      ],
      {
        env: {
          ...process.env,
          // Not the tests' own: what the house runs in is what a person's shell would give it.
          NODE_OPTIONS: '',
          NODE_ENV: 'test',
          PORT: '0',
          SIMULATOR_PORT: '0',
          CARILLON_DATA: this.dataDir,
          CARILLON_CLOCK: this.options.clock ?? 'manual',
          LOG_LEVEL: 'info',
          ...limitSettings(this.options.limits),
          ...receivers,
          ...this.options.env,
          ...env,
        },
        stdio: ['ignore', output, output],
        detached: this.options.ownGroup ?? false,
      },
    );
    closeSync(output);
    release(child);
    this.process = child;
    const file = join(this.dataDir, 'standalone.json');
    const withinMs = this.options.readyWithinMs ?? (isCluster ? 180_000 : 90_000);
    try {
      this.current = await eventually(
        () => {
          if (child.exitCode !== null || child.signalCode !== null)
            throw new Error(`the house did not start:\n${this.output()}`);
          const state = stateIn(file);
          return state?.pid === child.pid ? state : undefined;
        },
        () => `the house was not ready after ${withinMs / 1000} s:\n${this.output()}`,
        withinMs,
      );
    } catch (error) {
      await end(child);
      this.process = undefined;
      throw error;
    }
    this.first = undefined;
    this.expectations.reset();
  }

  /**
   * Any path of the gateway. An answer that is not as the API describes it fails the test in the end. What one account
   * was answered is waited for by what another asks next, as people do who tell each other; its own writes everybody
   * sees without that.
   */
  async http(method: string, path: string, given: HouseRequest = {}, by?: string): Promise<HouseAnswer> {
    const others = [...this.answered].flatMap(([account, position]) => (account === by ? [] : [position]));
    const newest = others.reduce((a, b) => (a > b ? a : b), 0n);
    const isAfter = by !== undefined && newest > 0n;
    const headers = { ...(isAfter && { 'carillon-position': String(newest) }), ...given.headers };
    const answer = await request(method, `${this.state.baseUrl}${path}`, { ...given, headers });
    const position = answer.headers.get('carillon-position');
    if (by !== undefined && position !== null) this.answered.set(by, BigInt(position));
    if (path.startsWith('/api/')) await this.expectations.compare(method, path, answer);
    return answer;
  }

  /** The Agent API with the first account's token; the path without `/api/agent`. */
  api(method: string, path: string, given: HouseRequest = {}): Promise<HouseAnswer> {
    return this.owner.api(method, path, given);
  }

  /** The Session API as the first account's app; the path without `/api/session`. */
  session(method: string, path: string, given: HouseRequest = {}): Promise<HouseAnswer> {
    return this.owner.session(method, path, given);
  }

  /** The control API of the push simulator. */
  simulator(method: string, path: string, body?: unknown): Promise<HouseAnswer> {
    const headers = { 'content-type': 'application/json' };
    return request(method, `${this.state.simulatorUrl}${path}`, { body, headers });
  }

  /** Moves the service's clock, then the phones'; resolves when all that fell due has been done. Gives the new time. */
  async advance(seconds: number): Promise<string> {
    const answer = await this.http('POST', '/__clock', { body: { advanceSeconds: seconds } });
    if (answer.status !== 200)
      throw new Error(`the clock answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    // The phones after the service: what it sends at a deadline comes before a phone gives up on its own.
    if (this.state.simulatorUrl) {
      const moved = await this.simulator('POST', '/clock', { advanceSeconds: seconds });
      if (moved.status !== 200)
        throw new Error(`the phones' clock answered ${moved.status}: ${JSON.stringify(moved.body)}`);
    }
    return answer.body.now;
  }

  /**
   * Moves the clock to the start of a window of this many seconds, so that the next requests count as one burst.
   * Rates are counted in such windows: across the end of a window, a slow client may send more.
   */
  async beginWindow(seconds = 60): Promise<void> {
    const now = Date.parse(await this.advance(0)) / 1_000;
    await this.advance(Math.ceil(seconds - (now % seconds)));
  }

  /** A second, third … person with an account and an API token of their own, and no phone. */
  async anotherAccount(name = `Person ${++this.people + 1}`): Promise<HouseAccount> {
    const email = `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '.')}.${Date.now()}@example.test`;
    const password = `correct horse ${name} ${Math.random()}`;
    const made = await this.http('POST', '/api/session/signup', {
      body: { email, name, password, client: 'app' },
    });
    if (made.status !== 201)
      throw new Error(`signing up was answered ${made.status}: ${JSON.stringify(made.body)}`);
    const token = await this.http('POST', '/api/session/tokens', {
      body: { name: 'Tests', scopes },
      token: made.body.accessToken,
    });
    if (token.status !== 201)
      throw new Error(`making a token was answered ${token.status}: ${JSON.stringify(token.body)}`);
    return new HouseAccount(this, made.body.account.id, email, password, token.body.secret);
  }

  /** What `tools/admin.mjs` does here. */
  admin(...options: readonly string[]): Promise<ToolResult> {
    return runAdmin(this.dataDir, options);
  }

  /** Creates a workplace team of the account, by the operator where only they may. Returns its id. */
  async workplaceTeam(owner: HouseAccount, name = 'Acme'): Promise<string> {
    const made = await owner.api('POST', '/teams', { body: { kind: 'team', name } });
    if (made.status === 201) return made.body.team.id;
    const byOperator = await this.admin('team', 'create', `--name=${name}`, `--owner=${owner.email}`);
    if (byOperator.status !== 0)
      throw new Error(`making a team was answered ${made.status}: ${byOperator.stderr}`);
    return JSON.parse(byOperator.stdout).team.id;
  }

  /** A receiver of replies outside, with a certificate that the house trusts. Needs the option `receivers`. */
  async receiver(): Promise<Receiver> {
    if (!this.authority) throw new Error('the house was started without the option "receivers"');
    const receiver = await Receiver.start(this.authority);
    this.receivers.push(receiver);
    return receiver;
  }

  /** What a receiver that a test runs itself proves itself with: for 127.0.0.1 and localhost. */
  get certificate(): Authority['server'] {
    if (!this.authority) throw new Error('the house was started without the option "receivers"');
    return this.authority.server;
  }

  async receiverSettings(): Promise<Record<string, string>> {
    this.authority ??= await makeAuthority(this.options.receivers);
    return {
      NODE_EXTRA_CA_CERTS: this.authority.caFile,
      CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    };
  }

  /** All that a provider got for this phone since the last look. What was looked at counts as expected. */
  received(phone: Pick<HousePhone, 'id'>): Promise<ReceivedPush[]> {
    return this.expectations.received(phone);
  }

  /** Waits until a provider has received exactly this many new pushes for the phone, and returns them. */
  expectPushes(phone: Pick<HousePhone, 'id'>, count: number, withinMs?: number): Promise<ReceivedPush[]> {
    return this.expectations.expectPushes(phone, count, withinMs);
  }

  /** Pushes are not what this test is about: none of them is unexpected; of these phones only, where some are named. */
  ignorePushes(...phones: readonly Pick<HousePhone, 'id'>[]): void {
    this.expectations.ignorePushes(...phones);
  }

  /** An error that belongs to the story. */
  expectLog(pattern: RegExp): void {
    this.expectations.expectLog(pattern);
  }

  /** Every line that the services and our own parts have logged, in each file's order. */
  logs(): LogLine[] {
    const folder = join(this.dataDir, 'logs');
    const files = [
      this.outputFile,
      ...(existsSync(folder) ? readdirSync(folder) : [])
        .filter((name) => /^(services|simulator|event-store|[a-z-]+-\d)\.log(\.1)?$/.test(name))
        .sort()
        .reverse()
        .map((name) => join(folder, name)),
    ];
    return files
      .filter((file) => existsSync(file))
      .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
      .filter((line) => line.startsWith('{'))
      .map((text) => {
        try {
          return { ...(JSON.parse(text) as object), text };
        } catch {
          return { text };
        }
      });
  }

  /** Looks now for errors that nobody expects: of a house that starts often, the logs of only two starts are kept. */
  lookAtLogs(): void {
    this.expectations.lookAtLogs(this.logs());
  }

  /** What it told its terminal. */
  output(): string {
    return existsSync(this.outputFile) ? readFileSync(this.outputFile, 'utf8') : '';
  }

  private get outputFile(): string {
    return join(this.dataDir, 'terminal.log');
  }

  /** The processes of its parts, itself not counted. */
  childPids(): number[] {
    return this.children().map(({ pid }) => pid);
  }

  /** A part's process and all that it has started. */
  pidsOf(part: HousePart): number[] {
    const found = this.children().find((child) => child.part === part);
    if (!found) throw new Error(`${part} is not running`);
    return familyOf(found.pid);
  }

  /** The services, and the gateway, of which a cluster runs several processes each. */
  services(): string[] {
    return [...new Set(this.children().flatMap(({ part }) => /^(.+)-\d$/.exec(part)?.[1] ?? []))].sort();
  }

  private children(): { part: string; pid: number }[] {
    const file = join(this.dataDir, 'children.json');
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, 'utf8')) as { part: string; pid: number }[])
      : [];
  }

  /** Ends it as a power cut would end it: no warning, no order. Its parts follow. */
  async kill9(): Promise<void> {
    await this.lookForPushes();
    const pids = this.childPids();
    const child = this.process;
    if (!child) throw new Error('the house is not running');
    await end(child, 'SIGKILL');
    this.process = undefined;
    this.current = undefined;
    await this.untilGone(pids);
  }

  /**
   * Kills it with all that it has started at the same moment: nobody is left to put anything in order, and nobody waits
   * until all is gone. `spare` live on.
   */
  kill9All(spare: readonly number[] = []): void {
    const child = this.process;
    if (!child?.pid) throw new Error('the house is not running');
    const family = familyOf(child.pid).filter((pid) => !spare.includes(pid));
    signalAll(family, 'SIGKILL');
    this.process = undefined;
    this.current = undefined;
  }

  /** Asks it to stop, as one Ctrl-C would, and waits. */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<void> {
    const child = this.process;
    if (!child) return;
    await this.lookForPushes();
    const pids = this.childPids();
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit');
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await gone;
      clearTimeout(timer);
    }
    this.process = undefined;
    this.current = undefined;
    if (child.exitCode !== 0)
      this.expectations.problems.push(
        `it ended with ${child.signalCode ?? `code ${child.exitCode}`}:\n${this.output()}`,
      );
    await this.untilGone(pids);
  }

  async restart(env: Record<string, string> = {}): Promise<void> {
    await this.stop();
    await this.start(env);
  }

  /** Stops it and throws for all that was not expected. */
  async close(): Promise<void> {
    try {
      await this.stop();
      await this.lookForReplies();
      this.expectations.lookAtAnswers();
      this.lookAtLogs();
    } finally {
      if (this.ownFolder && this.expectations.problems.length === 0) removeData(this.dataDir);
    }
    if (this.expectations.problems.length > 0)
      throw new Error(
        `Not expected in the house (its files are in ${this.dataDir}):\n- ${this.expectations.problems.join('\n- ')}`,
      );
  }

  private async untilGone(pids: number[]): Promise<void> {
    await eventually(
      () => pids.every((pid) => !isAlive(pid)) || undefined,
      () => '',
      15_000,
    ).catch(() => {
      this.expectations.problems.push(`processes were left: ${pids.filter(isAlive).join(', ')}`);
    });
  }

  private async lookForReplies(): Promise<void> {
    for (const receiver of this.receivers) {
      await receiver.stop();
      this.expectations.lookAtReplies(receiver);
    }
    this.authority?.remove();
  }

  private async lookForPushes(): Promise<void> {
    if (this.current?.simulatorUrl) await this.expectations.lookForPushes();
  }
}

/** A house of its own for a test: free ports, a folder that goes with it, a clock that the test moves. */
export async function startHouse(options: HouseOptions = {}): Promise<House> {
  const house = new House(options);
  await house.start();
  return house;
}
