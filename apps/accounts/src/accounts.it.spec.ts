import { type Ask, Bus, type Caller, type Context, sealed, type Wire } from '@carillon/bus';
import {
  type AccountEntry,
  Accounts,
  type ApiToken,
  type Contract,
  type CreateToken,
  type ListPage,
  OperatedAccounts,
  operationsOf,
  scopes,
  type SessionIdentity,
  type SignedIn,
  type EndedSignal,
} from '@carillon/contracts';
import { Database, Feed, Log, Projections } from '@carillon/event-store';
import { plus, Refused, quotaOf, reserveSlot } from '@carillon/eventing';
import {
  logger,
  type ManualClock,
  processClock,
  type RunningService,
  sharedLog,
  startService,
} from '@carillon/runtime';
import { hashSecret, newId, streamTail } from '@carillon/signing';
import {
  indexesOf,
  poison,
  rejoin,
  rowsReach,
  setAside,
  startParts,
  streamMetadata,
} from '@carillon/testkit';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { account } from './account/account';
import { AccountProjection } from './account/account.projection';
import { email, emailKey } from './account/email';
import { Sessions } from './session/sessions.service';
import { codeAt, fromBase32 } from './second-factor/totp';
import { AccountsModule } from './accounts.module';
import { bootstrap, bootstrapId, offer } from './bootstrap/bootstrap';
import { MailsProcess } from './mail/mails.process';
import { forgetPermits, WaitPermits } from './rate/wait-permits.entity';
import { forgetWindows, RateWindows } from './rate/windows.entity';
import { Revocations } from './revocation/revocations.process';
import { SessionProjection } from './session/session.projection';
import { create, revoke, token } from './token/token';
import { IssuedTokens } from './token/issued-tokens.service';
import { TokenHandlers, tokenOrder } from './token/token.handlers';
import { TokenProjection } from './token/token.projection';
import { tokenUse } from './use/use';
import { Uses } from './use/uses.service';

const minute = 60_000;
const day = 24 * 60 * minute;
const password = 'correct horse battery';
const bootstrapSecret = 'the secret of the first account';

let parts: Awaited<ReturnType<typeof startParts>>;
let service: RunningService;
let bus: Bus;
let log: Log;
let feed: Feed;
let database: Database;
let clock: ManualClock;
let pepper: Buffer;

beforeAll(async () => {
  parts = await startParts({ SIGNUP_MODE: 'open', CARILLON_BOOTSTRAP_SECRET: bootstrapSecret });
  pepper = Buffer.from(parts.env['CARILLON_PEPPER'] as string, 'base64');
  clock = processClock() as ManualClock;
  service = await startService({ name: 'accounts', module: AccountsModule });
  bus = await Bus.open(parts.env['NATS_URL'] as string, 'test');
  ({ log, feed } = await sharedLog.take());
  database = await Database.open({
    url: parts.env['DATABASE_URL'] as string,
    schema: 'accounts',
    migrations: [],
  });
});

afterAll(async () => {
  await database?.close();
  await bus?.close();
  await service?.close();
  await sharedLog.release();
  await parts?.stop();
});

const contextOf = (caller: Partial<Caller> = {}, more: Partial<Context> = {}): Context => ({
  commandId: randomUUID(),
  correlationId: randomUUID(),
  caller: { accountId: '', ip: '192.0.2.1', ...caller },
  deadline: Date.now() + 20_000,
  ...more,
});

const ask = async <Input, Output>(
  contract: Contract<Input, Output>,
  input: Input,
  caller: Partial<Caller> = {},
  more: Partial<Context> = {},
): Promise<Output> => (await bus.ask(contract, input, contextOf(caller, more))).value;

/** The reason of the refusal. */
const refused = async (asking: Promise<unknown>): Promise<string> => {
  try {
    await asking;
  } catch (error) {
    if (error instanceof Refused) return error.reason;
    throw error;
  }
  return 'not refused';
};

const hash = (secret: string): string => hashSecret(pepper, secret);
const identify = (secret: string): Promise<SessionIdentity> =>
  ask(Accounts.identifySession, { hash: hash(secret) });

let people = 0;
const newcomer = (): { email: string; name: string; password: string; client: 'app' } => ({
  email: `person${(people += 1)}@example.test`,
  name: `Person ${people}`,
  password,
  client: 'app',
});
const join = (): Promise<SignedIn> => ask(Accounts.signUp, newcomer());
const callerOf = ({ account, session }: SignedIn): Partial<Caller> => ({
  accountId: account.id,
  sessionId: session.sessionId,
});
const createToken = (person: SignedIn, name = 'CI'): Promise<{ token: ApiToken; secret: string }> =>
  ask(Accounts.createToken, { name, scopes: ['notifications:send'] }, callerOf(person));

const eventually = async (check: () => Promise<boolean>): Promise<void> => {
  for (const until = Date.now() + 20_000; !(await check()); await sleep(20))
    if (Date.now() > until) throw new Error('It never came');
};

/** When the row of last uses says that a token or session was used, in ms; 0 when it says nothing. */
const lastUse = async (id: string): Promise<number> => {
  const [row] = await database.query<{ used_at: Date }>(`SELECT used_at FROM last_uses WHERE id = $1`, [id]);
  return row?.used_at.getTime() ?? 0;
};

const system = (accountId: string) => ({
  commandId: randomUUID(),
  correlationId: 'test',
  accountId,
  actor: { process: 'test' },
});

describe('the first account', () => {
  const first = { secret: bootstrapSecret, ...newcomer(), email: 'first@example.test' };
  const reserved = newId('usr', Date.now());

  it('comes before all others: nobody signs up while there is none', async () => {
    expect(await refused(join())).toBe('account.signup_closed');
  });

  it('is refused without the secret', async () => {
    expect(await refused(ask(Accounts.bootstrap, { ...first, secret: 'a guess' }))).toBe(
      'account.bootstrap_secret',
    );
  });

  it('is made once by two at once, with the id that an attempt that died had taken', async () => {
    const used = { type: 'BootstrapUsed', accountId: reserved, usedAt: clock.now() } as const;
    await log.transact(bootstrap, bootstrapId, () => [used], system(reserved));
    const other = { ...first, email: 'second@example.test' };
    const answers = await Promise.allSettled([
      ask(Accounts.bootstrap, first),
      ask(Accounts.bootstrap, other),
    ]);
    const made = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
    const refusals = answers
      .filter((answer) => answer.status === 'rejected')
      .map(({ reason }) => reason.reason);
    expect(made).toHaveLength(1);
    expect(refusals).toEqual(['account.bootstrap_closed']);
    expect(made[0]?.account).toMatchObject({ id: reserved, operator: true });
    expect(await identify(made[0]!.session.accessToken)).toMatchObject({
      accountId: reserved,
      operator: true,
      kind: 'app',
    });
  });

  it('is made never again', async () => {
    expect(await refused(ask(Accounts.bootstrap, first))).toBe('account.bootstrap_closed');
  });

  it('leaves the address of the one who came second free', async () => {
    const states = await Promise.all(
      ['first', 'second'].map(
        async (name) => (await log.load(email, emailKey(pepper, `${name}@example.test`))).state,
      ),
    );
    expect(states.filter((state) => state !== null)).toHaveLength(1);
  });
});

describe('signing up', () => {
  it('makes one account of two at once for one address', async () => {
    const one = newcomer();
    const two = { ...one, email: one.email.toUpperCase(), name: 'The other' };
    const answers = await Promise.allSettled([ask(Accounts.signUp, one), ask(Accounts.signUp, two)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(
      answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason.reason),
    ).toEqual(['account.email_taken']);
    expect(await refused(ask(Accounts.signUp, one))).toBe('account.email_taken');
  });

  it('continues with the claim of a crashed attempt', async () => {
    const person = newcomer();
    const accountId = newId('usr', clock.ms());
    const claimed = { type: 'EmailClaimed', accountId, claimedAt: clock.now() } as const;
    await log.transact(email, emailKey(pepper, person.email), () => [claimed], system(accountId));
    expect((await ask(Accounts.signUp, person)).account.id).toBe(accountId);
  });

  it('keeps no address, name or password readable in the log', async () => {
    const person = newcomer();
    const { account: opened } = await ask(Accounts.signUp, person);
    const stored = JSON.stringify(
      (await log.store.read(`${account.category}-${streamTail(opened.id)}`)).map(({ data }) => data),
    );
    expect(stored).not.toContain(person.email);
    expect(stored).not.toContain(person.name);
    expect(stored).not.toContain('argon2');
  });
});

describe('signing in', () => {
  it('gives a browser a cookie and an app a pair of tokens', async () => {
    const person = newcomer();
    await ask(Accounts.signUp, person);
    const inBrowser = await ask(Accounts.signIn, { email: person.email.toUpperCase(), password });
    expect(inBrowser.account).toMatchObject({ email: person.email, name: person.name, timezone: null });
    expect(inBrowser.session.refreshToken).toBeUndefined();
    expect(await identify(inBrowser.session.accessToken)).toMatchObject({ kind: 'cookie', operator: false });
    const inApp = await ask(Accounts.signIn, { email: person.email, password, client: 'app' });
    expect(inApp.session.refreshToken).toMatch(/^carillon_srt_/);
    expect(await identify(inApp.session.accessToken)).toMatchObject({ kind: 'app' });
  });

  it('says the same of a wrong password and of an unknown address', async () => {
    const person = newcomer();
    await ask(Accounts.signUp, person);
    expect(await refused(ask(Accounts.signIn, { email: person.email, password: 'wrong' }))).toBe(
      'session.login_failed',
    );
    expect(await refused(ask(Accounts.signIn, { email: 'nobody@example.test', password: 'wrong' }))).toBe(
      'session.login_failed',
    );
  });

  it('ends ten failures of an account from strange networks, however many at once, and not where it is known', async () => {
    const person = newcomer();
    await ask(Accounts.signUp, person, { ip: '198.51.100.1' });
    const guess = (): Promise<string> =>
      refused(ask(Accounts.signIn, { email: person.email, password: 'wrong' }, { ip: '198.51.100.2' }));
    const reasons = await Promise.all(Array.from({ length: 14 }, guess));
    expect(reasons.filter((reason) => reason === 'session.login_failed')).toHaveLength(10);
    expect(reasons.filter((reason) => reason === 'session.too_many_failures')).toHaveLength(4);
    const right = { email: person.email, password };
    const refusal = await ask(Accounts.signIn, right, { ip: '198.51.100.3' }).catch(
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ reason: 'session.too_many_failures' });
    expect((refusal as Refused).details['retryAfter']).toBeGreaterThan(0);
    await ask(Accounts.signIn, right, { ip: '198.51.100.1' });
    await clock.advance(30 * minute);
    await ask(Accounts.signIn, right, { ip: '198.51.100.3' });
  });

  it('ends thirty failures of a network, and does not count what succeeds', async () => {
    const person = newcomer();
    await ask(Accounts.signUp, person);
    const ip = '2001:db8:1:1::1';
    for (let time = 0; time < 12; time += 1)
      await ask(Accounts.signIn, { email: person.email, password }, { ip });
    const guesses = Array.from({ length: 32 }, (_, n) =>
      refused(
        ask(
          Accounts.signIn,
          { email: `guess${n}@example.test`, password: 'wrong' },
          { ip: `2001:db8:1:1::${n + 1}` },
        ),
      ),
    );
    const reasons = await Promise.all(guesses);
    expect(reasons.filter((reason) => reason === 'session.login_failed')).toHaveLength(30);
    expect(await refused(ask(Accounts.signIn, { email: person.email, password }, { ip }))).toBe(
      'session.too_many_failures',
    );
  });
});

describe('a session', () => {
  it('is refreshed with new secrets; the old access ends', async () => {
    const { session } = await join();
    const renewed = await ask(Accounts.refresh, { refreshToken: session.refreshToken as string });
    expect(await identify(renewed.accessToken)).toMatchObject({ sessionId: session.sessionId });
    expect(await refused(identify(session.accessToken))).toBe('session.unknown');
    await ask(Accounts.refresh, { refreshToken: renewed.refreshToken as string });
  });

  it('lives on when the answer to a refresh was lost', async () => {
    const { session } = await join();
    const lost = await ask(Accounts.refresh, { refreshToken: session.refreshToken as string });
    await clock.advance(15_000);
    const answer = await ask(Accounts.refresh, { refreshToken: session.refreshToken as string });
    expect(answer).toEqual(lost);
    expect(await identify(answer.accessToken)).toMatchObject({ sessionId: session.sessionId });
    const next = await ask(Accounts.refresh, { refreshToken: answer.refreshToken as string });
    expect(next.refreshToken).not.toBe(answer.refreshToken);
    await identify(next.accessToken);
  });

  it('ends for good when a used refresh token comes again after its grace', async () => {
    const { session } = await join();
    const refreshToken = session.refreshToken as string;
    const renewed = await ask(Accounts.refresh, { refreshToken });
    await clock.advance(30_000);
    expect(await refused(ask(Accounts.refresh, { refreshToken }))).toBe('session.refresh_invalid');
    expect(await refused(identify(renewed.accessToken))).toBe('session.ended');
    expect(await refused(ask(Accounts.refresh, { refreshToken: renewed.refreshToken as string }))).toBe(
      'session.refresh_invalid',
    );
  });

  it('ends at once when a used refresh token comes again and the next one was used as well', async () => {
    const { session } = await join();
    const refreshToken = session.refreshToken as string;
    const renewed = await ask(Accounts.refresh, { refreshToken });
    const next = await ask(Accounts.refresh, { refreshToken: renewed.refreshToken as string });
    expect(await refused(ask(Accounts.refresh, { refreshToken }))).toBe('session.refresh_invalid');
    expect(await refused(identify(next.accessToken))).toBe('session.ended');
  });

  it('is the same for two that refresh with the same token at once', async () => {
    const { session } = await join();
    const refreshing = (): Promise<unknown> =>
      ask(Accounts.refresh, { refreshToken: session.refreshToken as string });
    const [one, other] = await Promise.all([refreshing(), refreshing()]);
    expect(other).toEqual(one);
    const { accessToken } = one as { accessToken: string };
    expect(await identify(accessToken)).toMatchObject({ sessionId: session.sessionId });
    expect(await log.store.read(`session-${streamTail(session.sessionId)}`)).toHaveLength(2);
  });

  it('of an app is over after an hour, and can be renewed', async () => {
    const { session } = await join();
    await clock.advance(61 * minute);
    expect(await refused(identify(session.accessToken))).toBe('session.expired');
    const renewed = await ask(Accounts.refresh, { refreshToken: session.refreshToken as string });
    expect(await identify(renewed.accessToken)).toMatchObject({ kind: 'app' });
  });

  it('of a browser lives on with its use, for thirty days at most', async () => {
    const person = newcomer();
    await ask(Accounts.signUp, person);
    const { session } = await ask(Accounts.signIn, { email: person.email, password });
    const idle = await ask(Accounts.signIn, { email: person.email, password });
    for (let step = 0; step < 5; step += 1) {
      await clock.advance(step === 4 ? 5 * day : 6 * day);
      const { sessionId: id } = await identify(session.accessToken);
      await eventually(async () => clock.ms() - (await lastUse(id)) < minute);
    }
    await clock.advance(2 * day);
    expect(await refused(identify(session.accessToken))).toBe('session.expired');
    expect(await refused(identify(idle.session.accessToken))).toBe('session.expired');
  });

  it('is listed, and ends from another one or by itself', async () => {
    const person = newcomer();
    const here = await ask(Accounts.signUp, person);
    const there = await ask(Accounts.signIn, { email: person.email, password });
    const stranger = await join();
    const list = () => ask(Accounts.listSessions, {}, callerOf(here));
    expect((await list()).sessions.map(({ id, kind, current }) => [id, kind, current])).toEqual([
      [there.session.sessionId, 'cookie', false],
      [here.session.sessionId, 'app', true],
    ]);
    const end = (caller: Partial<Caller>) =>
      ask(Accounts.endSession, { id: there.session.sessionId }, caller);
    expect(await refused(end(callerOf(stranger)))).toBe('session.not_found');
    await end(callerOf(here));
    await end(callerOf(here));
    expect(await refused(identify(there.session.accessToken))).toBe('session.ended');
    await ask(Accounts.signOut, {}, callerOf(here));
    expect(await refused(identify(here.session.accessToken))).toBe('session.ended');
    expect(await refused(ask(Accounts.signOut, {}, { accountId: here.account.id }))).toBe('session.required');
  });
});

describe('a password', () => {
  const next = 'another horse, another battery';
  const change = (person: SignedIn, input: { current: string; next: string }) =>
    ask(Accounts.changePassword, input, callerOf(person));
  const signIn = (person: SignedIn, secret: string) =>
    ask(Accounts.signIn, { email: person.account.email, password: secret, client: 'app' });

  it('is changed: the other sessions end, and only the new one lets in', async () => {
    const person = await join();
    const stranger = await join();
    const elsewhere = await signIn(person, password);
    const token = await createToken(person);
    await change(person, { current: password, next });
    expect(await refused(identify(elsewhere.session.accessToken))).toBe('session.ended');
    expect(await refused(ask(Accounts.refresh, { refreshToken: elsewhere.session.refreshToken! }))).toBe(
      'session.refresh_invalid',
    );
    for (const { session } of [person, stranger])
      expect(await identify(session.accessToken)).toMatchObject({ sessionId: session.sessionId });
    expect(await ask(Accounts.identifyToken, { hash: hash(token.secret) })).toMatchObject({
      accountId: person.account.id,
    });
    expect(await refused(signIn(person, password))).toBe('session.login_failed');
    const back = await signIn(person, next);
    expect(await identify(back.session.accessToken)).toMatchObject({ accountId: person.account.id });
  });

  it('ends the others by one row, and keeps those ended that a second change comes from', async () => {
    const person = await join();
    const elsewhere = await signIn(person, password);
    const { sessionId } = elsewhere.session;
    await change(person, { current: password, next });
    // The session that a change keeps may have been ended by another one, which the log has before it.
    const { id: accountId } = person.account;
    const { position } = await log.appendTo(
      account,
      streamTail(accountId),
      [
        {
          type: 'PasswordChanged',
          accountId,
          passwordHash: 'x',
          keptSessionId: sessionId,
          changedAt: clock.now(),
        },
      ],
      'any',
      streamMetadata('test', { accountId }),
    );
    await rowsReach(service.get(Projections), 'sessions', position);
    for (const { session } of [elsewhere, person])
      expect(await refused(identify(session.accessToken))).toBe('session.ended');
    expect((await ask(Accounts.listSessions, {}, callerOf(person))).sessions).toEqual([]);
    const rows = `SELECT session_id, own_end IS NOT NULL AS rewritten FROM sessions WHERE account_id = $1 ORDER BY 1`;
    expect(await database.query(rows, [accountId])).toEqual([
      { session_id: person.session.sessionId, rewritten: false },
      { session_id: sessionId, rewritten: true },
    ]);
  });

  it('stays as it is when it is refused', async () => {
    const person = await join();
    const elsewhere = await signIn(person, password);
    expect(await refused(change(person, { current: next, next }))).toBe('password.wrong');
    expect(await refused(change(person, { current: password, next: 'Password1234' }))).toBe(
      'password.too_common',
    );
    await clock.advance(16 * minute);
    expect(await refused(change(person, { current: password, next }))).toBe('session.reauth_required');
    expect(await identify(elsewhere.session.accessToken)).toMatchObject({ kind: 'app' });
    await signIn(person, password);
  });

  it('may be guessed ten times, and what was right takes nothing', async () => {
    const person = await join();
    await change(person, { current: password, next });
    for (let n = 0; n < 10; n += 1)
      expect(await refused(change(person, { current: password, next }))).toBe('password.wrong');
    expect(await refused(change(person, { current: next, next: password }))).toBe(
      'password.too_many_failures',
    );
  });

  it('is changed once by two at once', async () => {
    const person = await join();
    const both = ['the first of two horses', 'the second of two horses'];
    const outcomes = await Promise.all(
      both.map((wanted) => refused(change(person, { current: password, next: wanted }))),
    );
    expect(outcomes.filter((outcome) => outcome === 'not refused')).toHaveLength(1);
    await signIn(person, both[outcomes.indexOf('not refused')]!);
  });

  it('that is changed while somebody signs in with the former one leaves them outside', async () => {
    const person = await join();
    const [, ...others] = await Promise.all([
      change(person, { current: password, next }),
      ...Array.from({ length: 5 }, () => signIn(person, password).catch(() => undefined)),
    ]);
    for (const signedIn of others)
      if (signedIn) expect(await refused(identify(signedIn.session.accessToken))).toBe('session.ended');
  });
});

describe('an authenticator app', () => {
  const step = () => Math.floor(clock.ms() / 30_000);
  const signIn = (person: SignedIn, more: { totp?: string; recoveryCode?: string } = {}) =>
    ask(Accounts.signIn, { email: person.account.email, password, client: 'app', ...more });
  /** A person with an app, and what it shows in a step from now. */
  async function withApp() {
    const person = await join();
    const { secret, uri } = await ask(Accounts.prepareTotp, {}, callerOf(person));
    expect(uri).toContain(`secret=${secret}`);
    const shown = (drift = 0) => codeAt(fromBase32(secret), step() + drift);
    const { recoveryCodes } = await ask(Accounts.confirmTotp, { code: shown() }, callerOf(person));
    return { person, shown, recoveryCodes };
  }

  it('is asked for after the right password only, and each of its codes lets in once', async () => {
    const { person, shown, recoveryCodes } = await withApp();
    expect(recoveryCodes).toHaveLength(10);
    const { email } = person.account;
    expect(await refused(ask(Accounts.signIn, { email, password: 'wrong' }))).toBe('session.login_failed');
    expect(await refused(signIn(person))).toBe('session.second_factor_required');
    expect(await refused(signIn(person, { totp: shown() }))).toBe('session.login_failed');
    expect((await signIn(person, { totp: shown(1) })).account.id).toBe(person.account.id);
    expect(await refused(signIn(person, { totp: shown(1) }))).toBe('session.login_failed');
  });

  it('lets one in of nine who come with the same code at once', async () => {
    const { person, shown } = await withApp();
    await clock.advance(minute);
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, () => refused(signIn(person, { totp: shown() }))),
    );
    expect(outcomes.filter((outcome) => outcome === 'not refused')).toHaveLength(1);
    expect(new Set(outcomes)).toEqual(new Set(['not refused', 'session.login_failed']));
  });

  it('is replaced by each recovery code once', async () => {
    const { person, recoveryCodes } = await withApp();
    const [first = '', second = ''] = recoveryCodes;
    await signIn(person, { recoveryCode: first.toUpperCase() });
    expect(await refused(signIn(person, { recoveryCode: first }))).toBe('session.login_failed');
    const { email } = person.account;
    const recover = (recoveryCode: string, secret?: string) =>
      ask(Accounts.recover, { email, recoveryCode, client: 'app', ...(secret && { password: secret }) });
    expect(await refused(recover(second))).toBe('session.login_failed');
    expect(await refused(recover(second, 'wrong'))).toBe('session.login_failed');
    expect((await recover(second, password)).account.id).toBe(person.account.id);
    expect(await refused(recover(second, password))).toBe('session.login_failed');
    const codes = await ask(Accounts.replaceRecoveryCodes, {}, callerOf(person));
    expect(await refused(signIn(person, { recoveryCode: recoveryCodes[2]! }))).toBe('session.login_failed');
    await signIn(person, { recoveryCode: codes.recoveryCodes[0]! });
  });

  it('gives the same recovery codes when the command is repeated', async () => {
    const person = await join();
    const { secret } = await ask(Accounts.prepareTotp, {}, callerOf(person));
    const commandId = randomUUID();
    const confirm = () =>
      ask(Accounts.confirmTotp, { code: codeAt(fromBase32(secret), step()) }, callerOf(person), {
        commandId,
      });
    const codes = await confirm();
    expect(await confirm()).toEqual(codes);
    await signIn(person, { recoveryCode: codes.recoveryCodes[9]! });
  });

  it('may be guessed ten times, and is removed with a code', async () => {
    const { person, shown } = await withApp();
    await clock.advance(minute);
    expect(await refused(ask(Accounts.removeTotp, { code: '12345' }, callerOf(person)))).toBe(
      'totp.wrong_code',
    );
    await ask(Accounts.removeTotp, { code: shown() }, callerOf(person));
    await signIn(person);
    for (let n = 0; n < 9; n += 1)
      expect(await refused(ask(Accounts.confirmTotp, { code: '123456' }, callerOf(person)))).toBe(
        'totp.wrong_code',
      );
    expect(await refused(ask(Accounts.removeTotp, { code: shown() }, callerOf(person)))).toBe(
      'password.too_many_failures',
    );
  });

  it('is removed by the operator alone, with the recovery codes', async () => {
    const { person, recoveryCodes } = await withApp();
    const { id: accountId, email } = person.account;
    const reset = (caller: Partial<Caller>) =>
      refused(ask(OperatedAccounts.resetSecondFactor, { accountId }, caller));
    expect(await reset(callerOf(person))).toBe('operator.required');
    expect(await reset({ process: 'operator' })).toBe('not refused');
    expect(await reset({ process: 'operator' })).toBe('not refused');
    expect((await signIn(person)).account.id).toBe(accountId);
    const code = { email, password, recoveryCode: recoveryCodes[0]! };
    expect(await refused(ask(Accounts.recover, code))).toBe('session.login_failed');
  });

  it('needs a recent sign-in, and is nobody else’s', async () => {
    const { person, shown } = await withApp();
    const other = await join();
    expect(await refused(ask(Accounts.removeTotp, { code: shown(1) }, callerOf(other)))).toBe(
      'totp.wrong_code',
    );
    await clock.advance(16 * minute);
    for (const asking of [
      ask(Accounts.prepareTotp, {}, callerOf(person)),
      ask(Accounts.confirmTotp, { code: shown() }, callerOf(person)),
      ask(Accounts.removeTotp, { code: shown() }, callerOf(person)),
      ask(Accounts.replaceRecoveryCodes, {}, callerOf(person)),
    ])
      expect(await refused(asking)).toBe('session.reauth_required');
    expect(await refused(signIn(person))).toBe('session.second_factor_required');
  });
});

describe('a profile', () => {
  it('is changed, and read as it was changed', async () => {
    const person = await join();
    const { value, position } = await bus.ask(
      Accounts.changeProfile,
      { name: 'Ada', timezone: 'Europe/Berlin' },
      contextOf(callerOf(person)),
    );
    expect(value.account).toMatchObject({
      name: 'Ada',
      timezone: 'Europe/Berlin',
      email: person.account.email,
    });
    expect(await ask(Accounts.me, {}, callerOf(person), { ...(position && { after: position }) })).toEqual({
      ...value,
      mail: false,
      totp: false,
    });
    expect(await refused(ask(Accounts.changeProfile, {}, callerOf(person)))).toBe('input.empty_update');
    expect(await refused(ask(Accounts.changeProfile, { timezone: 'Mars/Olympus' }, callerOf(person)))).toBe(
      'input.invalid',
    );
  });

  it('is told to other services as it is at this moment, and refused where there is no account', async () => {
    const { account: opened, ...person } = await join();
    await ask(Accounts.changeProfile, { name: 'Grace' }, callerOf({ account: opened, ...person }));
    expect(await ask(Accounts.person, { accountId: opened.id })).toEqual({
      id: opened.id,
      name: 'Grace',
      email: opened.email,
      emailVerified: false,
    });
    expect(await refused(ask(Accounts.person, { accountId: newId('usr', Date.now()) }))).toBe(
      'account.not_found',
    );
  });

  it('moves to another address, and leaves the old one to others', async () => {
    const person = await join();
    const stranger = await join();
    const old = person.account.email;
    expect(
      await refused(ask(Accounts.changeProfile, { email: stranger.account.email }, callerOf(person))),
    ).toBe('account.email_taken');
    await ask(Accounts.changeProfile, { email: 'moved@example.test' }, callerOf(person));
    expect(await refused(ask(Accounts.signIn, { email: old, password }))).toBe('session.login_failed');
    expect((await ask(Accounts.signIn, { email: 'moved@example.test', password })).account.id).toBe(
      person.account.id,
    );
    expect((await ask(Accounts.signUp, { ...newcomer(), email: old })).account.email).toBe(old);
  });

  it('moves once when it is moved twice at once, and the other address is free', async () => {
    const person = await join();
    const addresses = ['left@example.test', 'right@example.test'];
    const moves = await Promise.all(
      addresses.map((email) => refused(ask(Accounts.changeProfile, { email }, callerOf(person)))),
    );
    const { email: now } = (await ask(Accounts.changeProfile, { name: 'Here' }, callerOf(person))).account;
    const free = [person.account.email, ...addresses].filter((address) => address !== now);
    expect(moves).toContain('not refused');
    for (const address of free) await ask(Accounts.signUp, { ...newcomer(), email: address });
    expect((await ask(Accounts.signIn, { email: now, password })).account.id).toBe(person.account.id);
  });

  it('asks for ten addresses an hour, taken or not', async () => {
    const person = await join();
    const stranger = await join();
    const from = (ip: string) => ({ ...callerOf(person), ip });
    const take = (email: string) => refused(ask(Accounts.changeProfile, { email }, from('198.51.100.7')));
    for (let n = 0; n < 10; n += 1) expect(await take(stranger.account.email)).toBe('account.email_taken');
    expect(await take(stranger.account.email)).toBe('account.too_many_addresses');
    expect(await take('free@example.test')).toBe('account.too_many_addresses');
    await ask(Accounts.changeProfile, { name: 'Still here' }, from('198.51.100.7'));
  });

  it('moves only a short time after signing in', async () => {
    const person = await join();
    await clock.advance(16 * minute);
    expect(await refused(ask(Accounts.changeProfile, { email: 'late@example.test' }, callerOf(person)))).toBe(
      'session.reauth_required',
    );
    await ask(Accounts.changeProfile, { name: 'Late' }, callerOf(person));
  });

  it('does not keep an address that a crashed change had claimed', async () => {
    const person = await join();
    const wanted = newcomer();
    const claimed = { type: 'EmailClaimed', accountId: person.account.id, claimedAt: clock.now() } as const;
    await log.transact(email, emailKey(pepper, wanted.email), () => [claimed], system(person.account.id));
    expect(await refused(ask(Accounts.signIn, { email: wanted.email, password }))).toBe(
      'session.login_failed',
    );
    expect(await refused(ask(Accounts.signUp, wanted))).toBe('account.email_taken');
    await clock.advance(minute);
    expect((await ask(Accounts.signUp, wanted)).account.id).not.toBe(person.account.id);
  });
});

describe('a token', () => {
  it('works as soon as it is there, and its secret is nowhere', async () => {
    const person = await join();
    const { token, secret } = await createToken(person);
    expect(token).toMatchObject({
      name: 'CI',
      kind: 'token',
      lastUsedAt: null,
      revokedAt: null,
      expiresAt: null,
    });
    expect(secret.startsWith(token.prefix)).toBe(true);
    expect(await ask(Accounts.identifyToken, { hash: hash(secret) })).toMatchObject({
      tokenId: token.id,
      accountId: person.account.id,
      scopes: ['notifications:send'],
      prefix: token.prefix,
    });
    const events = await log.store.read(`token-${streamTail(token.id)}`);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain(secret);
    expect(await refused(ask(Accounts.identifyToken, { hash: hash('another') }))).toBe('token.unknown');
  });

  it('is made only by a person who has just signed in', async () => {
    const person = await join();
    const { accountId } = callerOf(person);
    const input = { name: 'CI', scopes: [...scopes] };
    expect(await refused(ask(Accounts.createToken, input, { accountId, tokenId: 'tok_1' }))).toBe(
      'session.required',
    );
    const stranger = await join();
    expect(await refused(ask(Accounts.createToken, input, { ...callerOf(stranger), accountId }))).toBe(
      'session.required',
    );
    await clock.advance(16 * minute);
    expect(await refused(ask(Accounts.createToken, input, callerOf(person)))).toBe('session.reauth_required');
  });

  it('is revoked at once, twice without harm, and everybody is told', async () => {
    const person = await join();
    const stranger = await join();
    const { token, secret } = await createToken(person);
    const { token: calling } = await createToken(person);
    const told: string[] = [];
    const stop = bus.onSignal<EndedSignal>('token.revoked', (id, { stream, revision }) =>
      told.push(`${id} ${stream} ${revision}`),
    );
    const revoke = (caller: Partial<Caller>) => ask(Accounts.revokeToken, { id: token.id }, caller);
    expect(await refused(revoke(callerOf(stranger)))).toBe('token.not_found');
    expect(await refused(revoke({ accountId: person.account.id, tokenId: token.id }))).toBe('token.own');
    await revoke({ accountId: person.account.id, tokenId: calling.id });
    expect(await refused(ask(Accounts.identifyToken, { hash: hash(secret) }))).toBe('token.revoked');
    await revoke(callerOf(person));
    await eventually(async () => told.length === 2);
    stop();
    expect(new Set(told)).toEqual(new Set([`${token.id} token-${streamTail(token.id)} 1`]));
    await ask(Accounts.revokeOwnToken, {}, { accountId: person.account.id, tokenId: calling.id });
    expect((await ask(Accounts.listTokens, {}, callerOf(person))).items).toEqual([]);
  });

  it('and a session are valid among many until they are over', async () => {
    const person = await join();
    const [kept, gone] = [await createToken(person), await createToken(person)];
    const lasts = new Date(clock.ms() + day).toISOString();
    const short = await ask(
      Accounts.createToken,
      { name: 'One day', scopes: ['inbox:read'], expiresAt: lasts },
      callerOf(person),
    );
    const hashes = [kept.secret, gone.secret, short.secret, 'another'].map(hash);
    const valid = async (): Promise<string[]> => (await ask(Accounts.validTokens, { hashes })).valid;
    expect(new Set(await valid())).toEqual(new Set(hashes.slice(0, 3)));
    await ask(Accounts.revokeToken, { id: gone.token.id }, callerOf(person));
    expect(new Set(await valid())).toEqual(new Set([hashes[0], hashes[2]]));
    const sessions = { hashes: [hash(person.session.accessToken), hash('another')] };
    expect(await ask(Accounts.validSessions, sessions)).toEqual({
      valid: [hash(person.session.accessToken)],
    });
    await clock.advance(day);
    expect(await valid()).toEqual([hashes[0]]);
    expect(await ask(Accounts.validSessions, sessions)).toEqual({ valid: [] });
  });

  it('is over when it has expired', async () => {
    const person = await join();
    const expiresAt = new Date(clock.ms() + day).toISOString();
    const { secret, token } = await ask(
      Accounts.createToken,
      { name: 'One day', scopes: ['inbox:read'], expiresAt },
      callerOf(person),
    );
    expect(token.expiresAt).toBe(expiresAt);
    await clock.advance(day);
    expect(await refused(ask(Accounts.identifyToken, { hash: hash(secret) }))).toBe('token.expired');
    const { items } = await ask(Accounts.listTokens, { status: 'expired' }, callerOf(person));
    expect(items.map(({ id }) => id)).toEqual([token.id]);
  });

  it('is listed newest first, page by page, as the filter says', async () => {
    const person = await join();
    const made: string[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) made.unshift((await createToken(person, name)).token.id);
    const caller = callerOf(person);
    await ask(Accounts.revokeToken, { id: made[4] as string }, caller);
    const first = await ask(Accounts.listTokens, { limit: 3 }, caller);
    expect(first.items.map(({ id }) => id)).toEqual(made.slice(0, 3));
    const cursor = first.nextCursor as string;
    const second = await ask(Accounts.listTokens, { limit: 3, cursor }, caller);
    expect(second.items.map(({ id }) => id)).toEqual([made[3]]);
    expect(second.nextCursor).toBeNull();
    expect(await refused(ask(Accounts.listTokens, { cursor, status: 'all' }, caller))).toBe(
      'list.invalid_cursor',
    );
    const ids = async (input: object) =>
      (await ask(Accounts.listTokens, input, caller)).items.map(({ id }) => id);
    expect(await ids({ status: 'revoked' })).toEqual([made[4]]);
    expect(await ids({ status: 'all', kind: 'token' })).toEqual(made);
    expect(await ids({ kind: 'oauth' })).toEqual([]);
    expect(await ids({ limit: 4 })).toEqual(made.slice(0, 4));
    expect((await ask(Accounts.listTokens, { limit: 4 }, caller)).nextCursor).toBeNull();
  });

  it('has its last use in a row each minute, and in the log each day', async () => {
    const person = await join();
    const { token, secret } = await createToken(person);
    const use = () => ask(Accounts.identifyToken, { hash: hash(secret) });
    const shown = async () => Date.parse((await use()).lastUsedAt ?? '');
    const logged = async () =>
      (await log.store.read(`${tokenUse.category}-${token.id}`)).map(({ revision }) => revision);
    await Promise.all([use(), use(), use()]);
    await eventually(async () => (await lastUse(token.id)) > 0);
    const first = await lastUse(token.id);
    await clock.advance(minute / 2);
    expect(await shown()).toBe(first);
    await clock.advance(minute / 2);
    await use();
    await eventually(async () => (await lastUse(token.id)) >= first + minute);
    expect(await shown()).toBe(await lastUse(token.id));
    await eventually(async () => (await logged()).length > 0);
    expect(await logged()).toEqual([0n]);
    await clock.advance(day);
    await Promise.all([use(), use()]);
    await eventually(async () => (await logged()).includes(1n));
    // The stream keeps its newest event only.
    expect(await logged()).toEqual([1n]);
  });

  it('is let in while its last use cannot be written, and its next use is', async () => {
    const person = await join();
    const { token, secret } = await createToken(person);
    await database.query(`ALTER TABLE last_uses RENAME TO last_uses_away`);
    await database.query(`CREATE VIEW last_uses AS SELECT * FROM last_uses_away LIMIT 1000000`);
    const use = () => ask(Accounts.identifyToken, { hash: hash(secret) });
    expect((await use()).tokenId).toBe(token.id);
    await sleep(1_500);
    await database.query(`DROP VIEW last_uses`);
    await database.query(`ALTER TABLE last_uses_away RENAME TO last_uses`);
    expect(await lastUse(token.id)).toBe(0);
    await clock.advance(minute);
    await use();
    await eventually(async () => (await lastUse(token.id)) > 0);
  });

  it('is one of a hundred at most, also when more are asked for at once', async () => {
    const person = await join();
    const answers = await Promise.all(Array.from({ length: 103 }, () => refused(createToken(person))));
    expect(answers.filter((reason) => reason === 'not refused')).toHaveLength(100);
    expect(answers.filter((reason) => reason === 'resource.limit_reached')).toHaveLength(3);
  });
});

describe('slots for a hundred tokens', () => {
  const quota = quotaOf('token');
  const input: CreateToken = { name: 'CI', scopes: ['inbox:read'] };
  /** Another replica, which knows only what is in the log, asked as the bus asks it. */
  const replica = () => {
    const replicaLog = new Log(log.store, log.keys);
    const [database, projections] = [service.get(Database), service.get(Projections)];
    const handlers = new TokenHandlers(
      database,
      projections,
      replicaLog,
      service.get(Revocations),
      clock,
      service.get(Uses),
      service.get(Sessions),
      new IssuedTokens(database, projections, replicaLog, clock, logger('test')),
    );
    const create = handlers.create.bind(handlers) as unknown as (
      ask: Ask<CreateToken>,
    ) => Promise<Wire<unknown>>;
    return async (person: SignedIn) => {
      const wire = await create(sealed(Accounts.createToken, input, contextOf(callerOf(person))));
      if ('refused' in wire) throw new Refused(wire.refused);
    };
  };
  /** Retries as a client does after a retryable refusal. */
  const persistently = async (asking: () => Promise<unknown>): Promise<string> => {
    for (;;) {
      const reason = await refused(asking());
      if (reason !== 'stream.concurrent_update') return reason;
    }
  };
  const live = async (person: SignedIn) =>
    (
      await database.query(`SELECT FROM tokens WHERE account_id = $1 AND revoked_at IS NULL`, [
        person.account.id,
      ])
    ).length;
  /** Tokens as a version without quotas left them: no stream of slots. */
  const uncounted = async (person: SignedIn, count: number, expiresAt: string | null = null) => {
    const ids = Array.from({ length: count }, () => newId('tok', clock.ms()));
    const made = ids.map(async (id) => {
      const creation = {
        id,
        accountId: person.account.id,
        name: 'old',
        prefix: 'carillon_pat_abcd',
        at: clock.now(),
      };
      const decide = create({ ...creation, secretHash: hash(id), scopes: ['inbox:read'], expiresAt });
      await log.transact(token, streamTail(id), decide, system(person.account.id), { expectNew: true });
    });
    await Promise.all(made);
    return ids;
  };

  it('are exactly a hundred for concurrent requests on two replicas', async () => {
    const person = await join();
    await Promise.all(Array.from({ length: 80 }, () => createToken(person)));
    const other = replica();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, n) => persistently(() => (n % 2 ? createToken(person) : other(person)))),
    );
    expect(outcomes.filter((reason) => reason === 'not refused')).toHaveLength(20);
    expect(outcomes.filter((reason) => reason === 'resource.limit_reached')).toHaveLength(30);
    expect(await live(person)).toBe(100);
  });

  it('is filled by the tokens from before anybody counted', async () => {
    const person = await join();
    const old = await uncounted(person, 99);
    await uncounted(person, 1, new Date(clock.ms() + minute).toISOString());
    expect(await refused(createToken(person))).toBe('resource.limit_reached');
    await clock.advance(minute);
    await createToken(person);
    expect(await refused(createToken(person))).toBe('resource.limit_reached');
    await ask(Accounts.revokeToken, { id: old[0] as string }, callerOf(person));
    await createToken(person);
    expect(await live(person)).toBe(101);
    expect(await refused(createToken(person))).toBe('resource.limit_reached');
  });

  it('is not lost to one whose maker died, once that must be so', async () => {
    const person = await join();
    const accountId = person.account.id;
    await createToken(person);
    const taking = (id: string) =>
      reserveSlot({ accountId, id, until: null, max: 100, before: [], missing: [], at: clock.now() });
    await log.transact(quota, accountId, taking('tok_nevermade'), system(accountId));
    await Promise.all(Array.from({ length: 98 }, () => createToken(person)));
    expect(await refused(createToken(person))).toBe('resource.limit_reached');
    await clock.advance(minute);
    await createToken(person);
    expect(await refused(createToken(person))).toBe('resource.limit_reached');
  });

  it('are free again after a token was revoked whose slot was not released', async () => {
    const person = await join();
    const accountId = person.account.id;
    const made = await Promise.all(Array.from({ length: 100 }, () => createToken(person)));
    const [id] = made.map((each) => each.token.id) as [string];
    await log.transact(token, streamTail(id), revoke({ id, accountId, at: clock.now() }), system(accountId));
    await rowsReach(service.get(Projections), 'tokens', await log.store.head());
    await clock.advance(minute);
    await createToken(person);
    expect(await refused(createToken(person))).toBe('resource.limit_reached');
  });
});

/** Runs the work while a projection cannot move. */
const whileBehind = async (name: string, work: () => Promise<void>): Promise<void> => {
  const holder = await database.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(`SELECT FROM projection_checkpoints WHERE name = $1 FOR UPDATE`, [name]);
    await work();
  } finally {
    await holder.end();
  }
};

describe('rows that are behind', () => {
  const identifyToken = (secret: string) => ask(Accounts.identifyToken, { hash: hash(secret) });

  it('said of a valid token that there is none, and of a revoked one that it is valid', async () => {
    const person = await join();
    const [kept, revoked] = [await createToken(person), await createToken(person)];
    let made = kept;
    await whileBehind('tokens', async () => {
      made = await createToken(person);
      await ask(Accounts.revokeToken, { id: revoked.token.id }, callerOf(person));
      expect(await refused(identifyToken(made.secret))).toBe('projection.behind');
      expect(await refused(identifyToken(revoked.secret))).toBe('token.revoked');
      expect((await identifyToken(kept.secret)).tokenId).toBe(kept.token.id);
    });
    expect((await identifyToken(made.secret)).tokenId).toBe(made.token.id);
    expect(await refused(identifyToken(revoked.secret))).toBe('token.revoked');
    expect(await refused(identifyToken('carillon_pat_unknown'))).toBe('token.unknown');
  });

  it('of one account refuse the tokens of that account alone', async () => {
    const [person, other] = [await join(), await join()];
    const [kept, revoked] = [await createToken(person), await createToken(person)];
    const others = await createToken(other);
    const heal = await poison(database, { table: 'tokens', column: 'token_id', value: revoked.token.id });
    await ask(Accounts.revokeToken, { id: revoked.token.id }, callerOf(person));
    const made = await createToken(other);
    await rowsReach(service.get(Projections), 'tokens', await log.store.head());
    expect((await identifyToken(others.secret)).tokenId).toBe(others.token.id);
    expect((await identifyToken(made.secret)).tokenId).toBe(made.token.id);
    expect(await refused(identifyToken(kept.secret))).toBe('projection.behind');
    expect(await refused(identifyToken(revoked.secret))).toBe('token.revoked');
    // It may be one that this account has made since.
    expect(await refused(identifyToken('carillon_pat_unknown'))).toBe('projection.behind');

    await heal();
    const id = `tokens/${person.account.id}`;
    await ask(operationsOf('accounts').retryDeadLetter, { id }, { process: 'operator' });
    await setAside(service.get(Projections), 'tokens', 0);
    expect((await identifyToken(kept.secret)).tokenId).toBe(kept.token.id);
    expect(await refused(identifyToken(revoked.secret))).toBe('token.revoked');
    expect(await refused(identifyToken('carillon_pat_unknown'))).toBe('token.unknown');
  });

  it('of one account refuse the sessions of that account alone', async () => {
    const projections = service.get(Projections);
    const [person, other] = [await join(), await join()];
    const { accessToken, refreshToken } = person.session;
    const joined = newcomer();
    const { account: opened } = await ask(Accounts.signUp, joined);
    const heal = await poison(database, {
      table: 'sessions',
      column: 'session_id',
      value: person.session.sessionId,
    });
    await ask(Accounts.signOut, {}, callerOf(person));
    await setAside(projections, 'sessions');
    const login = { email: person.account.email, password, client: 'app' as const };
    expect(await refused(ask(Accounts.signIn, { ...login, password: 'a wrong password' }))).toBe(
      'session.login_failed',
    );
    const asks: (() => Promise<unknown>)[] = [
      () => ask(Accounts.signIn, login),
      () => ask(Accounts.listSessions, {}, callerOf(person)),
      // It may be a session that this account has begun since.
      () => identify('carillon_unknown'),
    ];
    for (const each of asks) expect(await refused(each())).toBe('projection.behind');
    expect(await refused(identify(accessToken))).toBe('session.ended');
    expect(await refused(ask(Accounts.refresh, { refreshToken: refreshToken! }))).toBe(
      'session.refresh_invalid',
    );
    expect((await identify(other.session.accessToken)).accountId).toBe(other.account.id);
    const { session } = await ask(Accounts.signIn, { ...joined });
    expect((await identify(session.accessToken)).accountId).toBe(opened.id);

    await heal();
    await rejoin(projections, 'sessions', person.account.id);
    expect(await refused(identify(accessToken))).toBe('session.ended');
    expect(await refused(identify('carillon_unknown'))).toBe('session.unknown');
    const again = await ask(Accounts.signIn, login);
    expect((await identify(again.session.accessToken)).accountId).toBe(person.account.id);
  });

  it('of a profile refuse only that profile, and the list of all accounts', async () => {
    const projections = service.get(Projections);
    const [person, other] = [await join(), await join()];
    const me = (of: SignedIn) => ask(Accounts.me, {}, callerOf(of));
    const list = () => ask(Accounts.list, { limit: 5 }, { process: 'operator' });
    const heal = await poison(database, {
      table: 'accounts',
      column: 'account_id',
      value: person.account.id,
    });
    await ask(Accounts.changeProfile, { name: 'Ada' }, callerOf(person));
    await setAside(projections, 'accounts');
    expect(await refused(me(person))).toBe('projection.behind');
    expect(await refused(list())).toBe('projection.behind');
    expect((await me(other)).account.id).toBe(other.account.id);
    expect((await identify(person.session.accessToken)).accountId).toBe(person.account.id);
    await heal();
    await rejoin(projections, 'accounts', person.account.id);
    expect((await me(person)).account.name).toBe('Ada');
    expect((await list()).items.map(({ name }) => name)).toContain('Ada');
  });

  it('of a new account keep it from being taken for one of lower rank', async () => {
    const projections = service.get(Projections);
    const joined = newcomer();
    const heal = await poison(database, { table: 'accounts', column: 'name', value: joined.name });
    const person = await ask(Accounts.signUp, joined);
    await setAside(projections, 'accounts');
    expect(await refused(identify(person.session.accessToken))).toBe('projection.behind');
    await heal();
    await rejoin(projections, 'accounts', person.account.id);
    expect((await identify(person.session.accessToken)).accountId).toBe(person.account.id);
  });

  it('let a session go on that had ended', async () => {
    const [person, thief] = [await join(), await join()];
    const stolen = thief.session.refreshToken!;
    const { accessToken } = await ask(Accounts.refresh, { refreshToken: stolen });
    await clock.advance(30_000);
    await whileBehind('sessions', async () => {
      await ask(Accounts.signOut, {}, callerOf(person));
      expect(await refused(identify(person.session.accessToken))).toBe('session.ended');
      expect(await refused(ask(Accounts.refresh, { refreshToken: stolen }))).toBe('session.refresh_invalid');
      expect(await refused(identify(accessToken))).toBe('session.ended');
      const again = await join();
      expect(await refused(identify(again.session.accessToken))).toBe('projection.behind');
    });
    expect(await refused(identify(person.session.accessToken))).toBe('session.ended');
  });
});

describe('a signal that something has ended', () => {
  const identifyToken = (secret: string) => ask(Accounts.identifyToken, { hash: hash(secret) });

  it('changes nothing for what the log does not say to have ended', async () => {
    const person = await join();
    const { token, secret } = await createToken(person);
    const { token: other } = await createToken(person);
    await ask(Accounts.revokeToken, { id: other.id }, callerOf(person));
    const { sessionId } = person.session;
    const positions = [token.id, other.id].map((id) => ({
      stream: `token-${streamTail(id)}`,
      revision: '1',
    }));
    positions.push({ stream: `token-${streamTail(token.id)}`, revision: '0' });
    positions.push({ stream: `session-${streamTail(sessionId)}`, revision: '0' });
    positions.push({ stream: '$all', revision: '0' }, { stream: 'token-', revision: '0' });
    for (const position of positions) {
      bus.signal('token.revoked', token.id, position);
      bus.signal('session.ended', sessionId, position);
    }
    for (const text of [
      '{}',
      'null',
      `{"position":"${2n ** 80n}"}`,
      `{"data":${JSON.stringify(positions[1])}}`,
    ]) {
      bus.link.publish(`sig.token.revoked.${token.id}`, text);
      bus.link.publish(`sig.session.ended.${sessionId}`, text);
    }
    // A request over the same connection arrives after the signals.
    expect((await identifyToken(secret)).tokenId).toBe(token.id);
    expect((await identify(person.session.accessToken)).sessionId).toBe(sessionId);
    expect((await identifyToken(secret)).tokenId).toBe(token.id);
  });

  it('is looked up in the log: what that says holds before any row does', async () => {
    const person = await join();
    const accountId = person.account.id;
    const { token: made, secret } = await createToken(person);
    // It follows the log no more.
    const deaf = Feed.of(new Log(log.store, log.keys));
    await deaf.begun;
    await deaf.close();
    const replica = new Revocations(deaf, bus, service.get(Projections), log, logger('test'));
    replica.onModuleInit();
    const tail = streamTail(made.id);
    const decide = revoke({ id: made.id, accountId, at: clock.now() });
    await log.transact(token, tail, decide, system(accountId));
    expect(await replica.has(made.id)).toBe(false);
    bus.signal('token.revoked', made.id, { stream: `token-${tail}`, revision: '1' });
    await eventually(() => replica.has(made.id));
    replica.onModuleDestroy();
    await eventually(async () => (await refused(identifyToken(secret))) === 'token.revoked');
  });
});

describe('permits for waits', () => {
  const want = (tokenId: string, wanted: number, max = 20) => ({ tokenId, wanted, max });

  it('are as many as the token has, however many gateways want the last ones at the same moment', async () => {
    const permits = [new WaitPermits(database), new WaitPermits(database)];
    const tokens = ['tok_c', 'tok_a', 'tok_b'];
    for (let round = 0; round < 10; round += 1) {
      const held = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          permits[n % 2]!.hold(
            `gateway ${n}`,
            [0, 1, 2].map((step) => want(`${tokens[(n + step) % 3]} ${round}`, 7)),
          ),
        ),
      );
      expect(held.flat().reduce((sum, each) => sum + each, 0)).toBe(60);
    }
  });

  it('stay held when it is said again, and are free for others when fewer are wanted', async () => {
    const permits = new WaitPermits(database);
    const hold = async (gateway: string, wanted: number) =>
      (await permits.hold(gateway, [want('tok_again', wanted)]))[0];
    expect([await hold('a', 15), await hold('a', 15), await hold('b', 15)]).toEqual([15, 15, 5]);
    expect([await hold('a', 25), await hold('a', 3), await hold('b', 15)]).toEqual([15, 3, 15]);
    expect([await hold('b', 0), await hold('a', 20)]).toEqual([0, 20]);
  });

  it('of a gateway that died are free again when its lease is over, and leave no row behind', async () => {
    const dead = new WaitPermits(database, 300);
    const permits = new WaitPermits(database);
    expect(await dead.hold('dead', [want('tok_dead', 20)])).toEqual([20]);
    expect(await permits.hold('alive', [want('tok_dead', 1)])).toEqual([0]);
    await eventually(async () => (await permits.hold('alive', [want('tok_dead', 20)]))[0] === 20);
    await permits.hold('alive', [want('tok_dead', 0)]);
    await forgetPermits(database, 100);
    expect(await database.query(`SELECT 1 FROM wait_permits WHERE token_id = 'tok_dead'`)).toEqual([]);
  });

  it('come over the bus, in the order of asking', async () => {
    const { held } = await ask(Accounts.holdWaitPermits, {
      gateway: 'bus',
      wants: [want('tok_two', 2), want('tok_one', 30), want('tok_none', 0)],
    });
    expect(held).toEqual([2, 20, 0]);
  });
});

describe('rates', () => {
  const take = (key: string, limit: number, count = 1, windowSeconds = 60) => ({
    key,
    limit,
    windowSeconds,
    count,
  });
  // A minute begins here, far from the one of the other tests.
  const start = 2_000_000_040_000;

  it('are granted up to the limit and no further, by all replicas together', async () => {
    const replicas = [new RateWindows(database), new RateWindows(database)];
    const keys = ['c', 'a', 'b'];
    const grants = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        replicas[n % 2]!.take(
          [0, 1, 2].map((step) => take(`busy ${keys[(n + step) % 3]}`, 50)),
          start,
        ),
      ),
    );
    const granted = grants.flat().reduce((sum, grant) => sum + grant.granted, 0);
    expect(granted).toBe(150);
    expect(grants.flat().every(({ remaining }) => remaining >= 0 && remaining < 50)).toBe(true);
  });

  it('are granted as far as they fit, in the order of asking', async () => {
    const windows = new RateWindows(database);
    const [first, second, other] = await windows.take(
      [take('batch', 10, 7), take('batch', 10, 7), take('other', 5, 2)],
      start + 10_000,
    );
    expect([first?.granted, second?.granted, other?.granted]).toEqual([7, 3, 2]);
    expect(other).toEqual({ granted: 2, remaining: 3, resetSeconds: 50 });
  });

  it('tell a gateway which of its readers have written through another one lately', async () => {
    const [writer, reader] = [newId('usr', start), newId('usr', start)];
    const access = (gateway: string, writing: string[], reading: string[]) =>
      ask(Accounts.takeRates, { takes: [take(`of ${gateway}`, 100)], access: { gateway, writing, reading } });
    expect((await access('one', [], [writer])).elsewhere).toEqual([]);
    expect((await access('one', [writer], [])).elsewhere).toEqual([]);
    expect((await access('one', [], [writer, reader])).elsewhere).toEqual([]);
    expect((await access('two', [], [writer, reader])).elsewhere).toEqual([writer]);
    // A gateway that cannot be told anything reads all that the log has.
    const none = { takes: [], access: { gateway: 'two', writing: [], reading: [reader] } };
    expect((await ask(Accounts.takeRates, none)).elsewhere).toEqual([reader]);
    await database.query(`UPDATE gateway_writes SET until = now() - interval '1 second'`);
    expect((await access('two', [], [writer])).elsewhere).toEqual([]);
    await clock.advance(600);
    expect(await database.query(`SELECT FROM gateway_writes`)).toEqual([]);
  });

  it('slide: what was taken a window ago counts less and less, and what was refused never', async () => {
    const windows = new RateWindows(database);
    const at = async (seconds: number, count = 1) =>
      (await windows.take([take('sliding', 10, count)], start + seconds * 1000))[0]!;
    expect((await at(0, 10)).granted).toBe(10);
    const full = await at(30, 5);
    expect(full).toEqual({ granted: 0, remaining: 0, resetSeconds: 36 });
    expect((await at(65)).granted).toBe(0);
    expect((await at(66)).granted).toBe(1);
    expect(await at(90, 10)).toMatchObject({ granted: 4, remaining: 0 });
    expect((await at(300, 10)).granted).toBe(10);
  });

  it('say truly when the next one fits', async () => {
    const windows = new RateWindows(database);
    for (const [limit, before, now] of [
      [7, 7, 59.999],
      [3, 3, 0.001],
      [10, 10, 71.3],
      [1, 1, 12.7],
    ] as const) {
      const key = `next ${limit} ${now}`;
      await windows.take([take(key, limit, before)], start);
      const late = start + now * 1000;
      let grant = (await windows.take([take(key, limit, limit)], late))[0]!;
      if (grant.remaining > 0) throw new Error('The test needs a full window');
      const waits = grant.resetSeconds;
      if (waits > 1) {
        grant = (await windows.take([take(key, limit)], Math.floor(late + (waits - 1) * 1000 - 1)))[0]!;
        expect(grant.granted).toBe(0);
      }
      grant = (await windows.take([take(key, limit)], Math.ceil(late + waits * 1000)))[0]!;
      expect(grant.granted).toBe(1);
    }
  });

  it('are forgotten when they count no more', async () => {
    const windows = new RateWindows(database);
    await windows.take([take('old', 5)], start);
    await windows.take([take('young', 5)], start + 120_000);
    await forgetWindows(database, start + 120_001, 1_000);
    const rows = await database.query<{ key: string }>(
      `SELECT key FROM rate_windows WHERE key IN ('old/60', 'young/60')`,
    );
    expect(rows.map(({ key }) => key)).toEqual(['young/60']);
  });

  it('are taken over the bus by the clock of the house', async () => {
    const { grants } = await ask(Accounts.takeRates, { takes: [take('bus', 3, 5), take('bus 2', 1)] });
    expect(grants.map(({ granted, remaining }) => [granted, remaining])).toEqual([
      [3, 0],
      [1, 0],
    ]);
    const [back] = (await ask(Accounts.takeRates, { takes: [take('bus', 3, -1)] })).grants;
    expect([back?.granted, back?.remaining]).toEqual([0, 1]);
    await clock.advance(2 * minute);
    expect((await ask(Accounts.takeRates, { takes: [take('bus', 3, 1)] })).grants[0]?.granted).toBe(1);
  });
});

describe('the rows of sessions', () => {
  it('were kept for ever: those of sessions that are over go after 90 days, and their refresh tokens', async () => {
    const rowsOf = async ({ session: { sessionId } }: SignedIn): Promise<[number, number]> => {
      const sessions = await database.query(`SELECT FROM sessions WHERE session_id = $1`, [sessionId]);
      const refreshes = await database.query(`SELECT FROM session_refreshes WHERE session_id = $1`, [
        sessionId,
      ]);
      return [sessions.length, refreshes.length];
    };
    const [over, living] = [await join(), await join()];
    await ask(Accounts.signOut, {}, callerOf(over));
    await clock.advance(80 * day);
    const renewed = await ask(Accounts.refresh, { refreshToken: living.session.refreshToken! });
    expect(await rowsOf(over)).toEqual([1, 1]);
    expect(await rowsOf(living)).toEqual([1, 2]);
    await clock.advance(11 * day);
    await join();
    expect(await rowsOf(over)).toEqual([0, 0]);
    // The replaced token is gone, the valid one is not.
    expect(await rowsOf(living)).toEqual([1, 1]);
    await ask(Accounts.refresh, { refreshToken: renewed.refreshToken! });
  });
});

describe('the browsers of an account', () => {
  const signInFrom = (browser: string, { account: { email } }: SignedIn) =>
    ask(Accounts.signIn, { email, password }, { browser });
  const known = async ({ account: { id } }: SignedIn): Promise<number> =>
    (await database.query(`SELECT FROM known_browsers WHERE account_id = $1`, [id])).length;

  it('are kept once each, and forgotten 400 days after the last sign-in, or with the account', async () => {
    const [person, other] = [await join(), await join()];
    for (const browser of ['one', 'two', 'one']) await signInFrom(browser, person);
    await signInFrom('one', other);
    await eventually(async () => (await known(person)) === 2 && (await known(other)) === 1);
    await clock.advance(399 * day);
    await signInFrom('one', person);
    await clock.advance(2 * day);
    await signInFrom('three', other);
    await eventually(async () => (await known(other)) === 1);
    expect(await known(person)).toBe(1);
    for (const contract of [Accounts.remove, Accounts.forget])
      await ask(contract, { accountId: person.account.id }, { process: 'operator' });
    await eventually(async () => (await known(person)) === 0);
    expect(await known(other)).toBe(1);
  });
});

describe('the last uses', () => {
  it('of sessions are deleted with their rows, and those of tokens are kept', async () => {
    const { session } = await join();
    const at = (days: number) => new Date(clock.ms() - days * day);
    const used: [string, Date][] = [
      ['ses_gone', at(91)],
      ['ses_young', at(89)],
      [session.sessionId, at(91)],
      ['tok_old', at(400)],
    ];
    for (const row of used) await database.query(`INSERT INTO last_uses VALUES ($1, $2)`, row);
    await clock.advance(1);
    const left = await database.query<{ id: string }>(
      `SELECT id FROM last_uses WHERE id = ANY ($1) ORDER BY used_at`,
      [used.map(([id]) => id)],
    );
    expect(left.map(({ id }) => id)).toEqual(['tok_old', session.sessionId, 'ses_young']);
  });
});

describe('the accounts', () => {
  const asOperator = { process: 'operator' };
  const ids = ({ items }: ListPage<AccountEntry>): string[] => items.map(({ id }) => id);

  it('are listed for the operator only, the newest first, page by page', async () => {
    const [older, newer] = [await join(), await join()];
    expect(await refused(ask(Accounts.list, {}, callerOf(older)))).toBe('operator.required');
    const first = await ask(Accounts.list, { limit: 1 }, asOperator);
    expect(first.items).toEqual([
      {
        id: newer.account.id,
        email: newer.account.email,
        name: newer.account.name,
        createdAt: newer.account.createdAt,
        state: 'active',
      },
    ]);
    const second = await ask(Accounts.list, { limit: 1, cursor: first.nextCursor! }, asOperator);
    expect(ids(second)).toEqual([older.account.id]);
  });

  it('are found by their address, which is not written down', async () => {
    const { account: found } = await join();
    const list = (address: string) => ask(Accounts.list, { email: address }, asOperator);
    expect(ids(await list(found.email.toUpperCase()))).toEqual([found.id]);
    expect(ids(await list('nobody@example.test'))).toEqual([]);
    const told = (await log.store.read('operation-installation')).map(({ data }) => data);
    expect(told).toContainEqual(expect.objectContaining({ action: 'account.list', target: found.id }));
    expect(JSON.stringify(told)).not.toContain('@example.test');
  });
});

describe('the rows', () => {
  it('are the same after a rebuild from the log', async () => {
    const rows = async (): Promise<unknown> => ({
      accounts: await database.query(`SELECT * FROM accounts ORDER BY account_id`),
      tokens: await database.query(`SELECT * FROM tokens ORDER BY token_id`),
      sessions: await database.query(`SELECT * FROM sessions ORDER BY session_id`),
      refreshes: await database.query(`SELECT * FROM session_refreshes ORDER BY refresh_hash`),
      ended: await database.query(`SELECT * FROM ended_sessions ORDER BY account_id`),
      browsers: await database.query(`SELECT * FROM known_browsers ORDER BY account_id, browser_hash`),
    });
    const projections = new Projections(
      database,
      log,
      feed,
      [
        service.get(AccountProjection),
        service.get(TokenProjection),
        new SessionProjection(),
        service.get(MailsProcess),
      ],
      logger('test'),
    );
    const before = await rows();
    for (const name of ['accounts', 'tokens', 'sessions', 'mails']) await projections.rebuild(name);
    expect(await rows()).toEqual(before);
    await projections.stop();
  });
});

/** The last: rows keep what was read before, so that they are no longer what the log has. */
describe('an account whose key is gone', () => {
  it('is told to nobody any more, also where it was known', async () => {
    const { account: opened } = await join();
    expect(await ask(Accounts.person, { accountId: opened.id })).toMatchObject({ id: opened.id });
    await log.keys.shred(opened.id);
    expect(await refused(ask(Accounts.person, { accountId: opened.id }))).toBe('account.not_found');
  });
});

describe('the first account, deleted', () => {
  it('was made again under the same id, which stopped the rows of all accounts: it stays the only first one', async () => {
    const { state } = await log.load(bootstrap, bootstrapId);
    const byId = { accountId: state.accountId! };
    const asOperator = { process: 'operator' };
    await ask(Accounts.remove, byId, asOperator);
    await ask(Accounts.forget, byId, asOperator);
    const at = clock.now();
    const offered = { secretHash: hash(bootstrapSecret), expiresAt: plus(at, day), chosen: true, at };
    await log.transact(bootstrap, bootstrapId, offer(offered), system(''));
    expect(await refused(ask(Accounts.bootstrap, { secret: bootstrapSecret, ...newcomer() }))).toBe(
      'account.bootstrap_closed',
    );
    const person = await join();
    expect(await identify(person.session.accessToken)).toMatchObject({ accountId: person.account.id });
  });
});

it('the list of tokens has an index in its order', async () => {
  expect(await indexesOf(database, 'tokens')).toEqual(
    expect.arrayContaining([`(account_id, ${tokenOrder.index})`]),
  );
});
