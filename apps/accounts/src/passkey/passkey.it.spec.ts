import { answer, type Answer, Bus, type Caller, type Context, Handles } from '@carillon/bus';
import {
  Accounts,
  type Contract,
  type NotificationCreated,
  Notifications,
  Passkeys,
  SendNotification,
  type SignedIn,
} from '@carillon/contracts';
import { Log } from '@carillon/event-store';
import { Refused } from '@carillon/eventing';
import {
  type ManualClock,
  processClock,
  type RunningService,
  sharedLog,
  startService,
} from '@carillon/runtime';
import { hashSecret, streamTail } from '@carillon/signing';
import { eventually, SecurityKey, startParts, type StandIns, startStandIns } from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { AccountsModule } from '../accounts.module';
import { account } from '../account/account';

const minute = 60_000;
const password = 'correct horse battery';
const bootstrapSecret = 'the secret of the first account';
const origin = 'https://bells.test';
const at = '2026-11-26T12:00:00.000Z';

const sent: { accountId: string; key: string | undefined; title: string; body: string }[] = [];

/** Stands where notifications stand. */
@Controller()
class Neighbour {
  @Handles(Notifications.send)
  send({ title, body }: SendNotification, { caller, idempotency }: Context): Answer<NotificationCreated> {
    sent.push({ accountId: caller.accountId, key: idempotency?.key, title, body });
    return answer({
      notification: { id: 'anot_1', title, body, imageUrl: null, url: null, createdAt: at },
      accepted: 0,
    });
  }
}

let parts: Awaited<ReturnType<typeof startParts>>;
let neighbour: StandIns;
let service: RunningService;
let bus: Bus;
let log: Log;
let clock: ManualClock;

beforeAll(async () => {
  parts = await startParts({
    SIGNUP_MODE: 'open',
    CARILLON_BASE_URL: `${origin}/`,
    CARILLON_BOOTSTRAP_SECRET: bootstrapSecret,
    LOG_LEVEL: 'fatal',
  });
  clock = processClock() as ManualClock;
  neighbour = await startStandIns(parts.env['NATS_URL'] as string, Neighbour);
  service = await startService({ name: 'accounts', module: AccountsModule });
  bus = await Bus.open(parts.env['NATS_URL'] as string, 'test');
  ({ log } = await sharedLog.take());
  // Nobody signs up before there is a first account.
  await ask(Accounts.bootstrap, {
    secret: bootstrapSecret,
    email: 'owner@example.test',
    name: 'Owner',
    password,
  });
});

afterAll(async () => {
  await bus?.close();
  await service?.close();
  await neighbour?.close();
  await sharedLog.release();
  await parts?.stop();
});

const ask = async <Input, Output>(
  contract: Contract<Input, Output>,
  input: Input,
  caller: Partial<Caller> = {},
  commandId: string = randomUUID(),
): Promise<Output> => {
  const context: Context = {
    commandId,
    correlationId: randomUUID(),
    caller: { accountId: '', ip: '192.0.2.1', ...caller },
    deadline: Date.now() + 20_000,
  };
  return (await bus.ask(contract, input, context)).value;
};

const refused = async (asking: Promise<unknown>): Promise<string> => {
  try {
    await asking;
  } catch (error) {
    if (error instanceof Refused) return error.reason;
    throw error;
  }
  return 'not refused';
};

let people = 0;
const join = (): Promise<SignedIn> =>
  ask(Accounts.signUp, {
    email: `person${(people += 1)}@example.test`,
    name: `Person ${people}`,
    password,
    client: 'app',
  });
const callerOf = ({ account: { id }, session }: SignedIn): Partial<Caller> => ({
  accountId: id,
  sessionId: session.sessionId,
});
const prepare = (person: SignedIn) => ask(Passkeys.options, {}, callerOf(person));

/** A passkey of the person, which says in each signature what its key has counted. */
async function addTo(person: SignedIn, name = 'Laptop', counter = 0) {
  const { challenge, user, rp } = await prepare(person);
  const key = new SecurityKey(rp.id);
  const response = key.register({ challenge, origin, userId: user.id }, { counter });
  return { key, ...(await ask(Passkeys.add, { response, name }, callerOf(person))) };
}
const challenge = async (): Promise<string> => (await ask(Accounts.passkeyOptions, {})).challenge;
const signInAs = async (key: SecurityKey, counter = 0): Promise<SignedIn> =>
  ask(Accounts.signInWithPasskey, {
    response: key.signIn({ challenge: await challenge(), origin }, { counter }),
    client: 'app',
  });
const passkeysOf = async (person: SignedIn) => (await ask(Passkeys.list, {}, callerOf(person))).passkeys;

describe('a passkey', () => {
  it('is added, lets in without an address, and is listed', async () => {
    const person = await join();
    const { key, passkey, recoveryCodes } = await addTo(person);
    expect(passkey).toEqual({
      id: expect.stringMatching(/^pky_/) as string,
      name: 'Laptop',
      createdAt: expect.any(String) as string,
      lastUsedAt: null,
      backedUp: false,
      disabled: false,
    });
    expect(recoveryCodes).toHaveLength(10);
    const signedIn = await signInAs(key);
    expect(signedIn.account).toEqual(person.account);
    expect(await passkeysOf(signedIn)).toEqual([{ ...passkey, lastUsedAt: expect.any(String) as string }]);
  });

  it('has its name sealed in the log', async () => {
    const person = await join();
    await addTo(person, 'Wrist watch');
    const raw = await log.store.read(`account-${streamTail(person.account.id)}`, 0n, 10);
    const stored = raw
      .map(({ data, metadata }) => `${JSON.stringify(data)}${JSON.stringify(metadata)}`)
      .join();
    expect(stored).toContain('publicKey');
    expect(stored).not.toContain('Wrist watch');
  });

  it('gives recovery codes only where there are none', async () => {
    const person = await join();
    const first = await addTo(person);
    expect(first.recoveryCodes).toHaveLength(10);
    expect(await addTo(person)).not.toHaveProperty('recoveryCodes');
    const { email } = person.account;
    const recover = { email, password, recoveryCode: first.recoveryCodes?.[3] ?? '', client: 'app' as const };
    expect((await ask(Accounts.recover, recover)).account).toEqual(person.account);
  });

  it('is added once when the command is repeated, with the same recovery codes', async () => {
    const person = await join();
    const options = await prepare(person);
    const key = new SecurityKey(options.rp.id);
    const response = key.register({ challenge: options.challenge, origin, userId: options.user.id });
    const commandId = randomUUID();
    const add = () => ask(Passkeys.add, { response }, callerOf(person), commandId);
    const added = await add();
    expect(added.passkey.name).toBe('Passkey');
    expect(await add()).toEqual(added);
    expect(await passkeysOf(person)).toHaveLength(1);
  });

  it('is not asked for twice on one authenticator', async () => {
    const person = await join();
    const { key } = await addTo(person);
    expect(await prepare(person)).toMatchObject({
      rp: { id: 'bells.test', name: 'Carillon' },
      excludeCredentials: [{ id: key.id, type: 'public-key' }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  });
});

describe('a new passkey', () => {
  let person: SignedIn;
  beforeAll(async () => {
    person = await join();
  });

  /** The refusal of a registration that differs from a good one. */
  async function refusal(change: {
    origin?: string;
    rpId?: string;
    challenge?: string;
    verifies?: boolean;
    id?: string;
    from?: SignedIn;
  }): Promise<string> {
    const options = await prepare(change.from ?? person);
    const key = new SecurityKey(change.rpId ?? options.rp.id);
    const response = key.register(
      {
        challenge: change.challenge ?? options.challenge,
        origin: change.origin ?? origin,
        userId: options.user.id,
      },
      { verifies: change.verifies ?? true },
    );
    const id = change.id ?? response.id;
    return refused(ask(Passkeys.add, { response: { ...response, id, rawId: id } }, callerOf(person)));
  }

  it('is refused from another site, for another site and without a check of the person', async () => {
    expect(await refusal({ origin: 'https://bells.example' })).toBe('passkey.refused');
    expect(await refusal({ rpId: 'bells.example' })).toBe('passkey.refused');
    expect(await refusal({ verifies: false })).toBe('passkey.refused');
    expect(await refusal({ id: 'AAAA' })).toBe('passkey.refused');
    expect(await refusal({})).toBe('not refused');
  });

  it('is refused with the challenge of somebody else, of a sign-in, or of nobody', async () => {
    expect(await refusal({ from: await join() })).toBe('passkey.refused');
    expect(await refusal({ challenge: await challenge() })).toBe('passkey.refused');
    expect(await refusal({ challenge: Buffer.alloc(54).toString('base64url') })).toBe('passkey.refused');
    expect(await refusal({ challenge: 'AAAA' })).toBe('passkey.refused');
  });

  it('is refused with a challenge that was signed before', async () => {
    const options = await prepare(person);
    const given = { challenge: options.challenge, origin, userId: options.user.id };
    const add = (key: SecurityKey) =>
      refused(ask(Passkeys.add, { response: key.register(given) }, callerOf(person)));
    expect(await add(new SecurityKey('bells.test'))).toBe('not refused');
    expect(await add(new SecurityKey('bells.test'))).toBe('passkey.refused');
  });

  it('is refused when it is none', async () => {
    const options = await prepare(person);
    const response = new SecurityKey('bells.test').register({ ...options, origin, userId: options.user.id });
    for (const attestationObject of ['AAAA', Buffer.from('{}').toString('base64url'), '!'])
      expect(
        await refused(
          ask(
            Passkeys.add,
            { response: { ...response, response: { ...response.response, attestationObject } } },
            callerOf(person),
          ),
        ),
      ).toBe('passkey.refused');
  });

  it('is one of 20 at most', async () => {
    const full = await join();
    for (let n = 0; n < 20; n += 1) await addTo(full);
    expect(await refused(addTo(full))).toBe('resource.limit_reached');
  });

  it('needs a recent sign-in, and its challenge lasts 5 minutes', async () => {
    const late = await join();
    const options = await prepare(late);
    const response = new SecurityKey('bells.test').register({ ...options, origin, userId: options.user.id });
    await clock.advance(5 * minute + 1);
    expect(await refused(ask(Passkeys.add, { response }, callerOf(late)))).toBe('passkey.refused');
    await clock.advance(11 * minute);
    expect(await refused(prepare(late))).toBe('session.reauth_required');
    expect(await refused(ask(Passkeys.add, { response }, callerOf(late)))).toBe('session.reauth_required');
  });
});

describe('a sign-in with a passkey', () => {
  const from = (ip: string) => ({ ip });
  const outcome = (response: ReturnType<SecurityKey['signIn']>, ip = '192.0.2.2') =>
    refused(ask(Accounts.signInWithPasskey, { response, client: 'app' }, from(ip)));

  it('is refused from another site, for another person and without a check of the person', async () => {
    const [person, other] = [await join(), await join()];
    const { key } = await addTo(person);
    const given = async () => ({ challenge: await challenge(), origin });
    expect(await outcome(key.signIn({ ...(await given()), origin: 'https://bells.example' }))).toBe(
      'passkey.login_failed',
    );
    expect(await outcome(key.signIn(await given(), { verifies: false }))).toBe('passkey.login_failed');
    const good = key.signIn(await given());
    const userHandle = Buffer.from(other.account.id).toString('base64url');
    const { userHandle: _, ...nobody } = good.response;
    expect(await outcome({ ...good, response: { ...good.response, userHandle } })).toBe(
      'passkey.login_failed',
    );
    expect(await outcome({ ...good, response: nobody })).toBe('passkey.login_failed');
    expect(await outcome({ ...good, id: 'AAAA', rawId: 'AAAA' })).toBe('passkey.login_failed');
    expect(await outcome({ ...good, response: { ...good.response, signature: 'AAAA' } })).toBe(
      'passkey.login_failed',
    );
    expect(await outcome(new SecurityKey('bells.test').signIn(await given()))).toBe('passkey.login_failed');
    expect(await outcome(good)).toBe('not refused');
  });

  it('takes a challenge once, also of nine who come with it at once, and for 5 minutes', async () => {
    const { key } = await addTo(await join());
    const given = { challenge: await challenge(), origin };
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, () => outcome(key.signIn(given), '192.0.2.3')),
    );
    expect(outcomes.filter((each) => each === 'not refused')).toHaveLength(1);
    const late = { challenge: await challenge(), origin };
    await clock.advance(5 * minute + 1);
    expect(await outcome(key.signIn(late), '192.0.2.3')).toBe('passkey.login_failed');
    expect(await outcome(key.signIn(given), '192.0.2.3')).toBe('passkey.login_failed');
  });

  it('takes no challenge of a registration', async () => {
    const person = await join();
    const { key } = await addTo(person);
    const { challenge: given } = await prepare(person);
    expect(await outcome(key.signIn({ challenge: given, origin }))).toBe('passkey.login_failed');
  });

  it('disables a passkey whose counter stands still or goes back, and says so to the person once', async () => {
    const person = await join();
    const { key, passkey } = await addTo(person, 'Blue key', 3);
    expect((await signInAs(key, 4)).account.id).toBe(person.account.id);
    const sign = async (counter: number) =>
      outcome(key.signIn({ challenge: await challenge(), origin }, { counter }), '192.0.2.4');
    expect(await sign(4)).toBe('passkey.login_failed');
    expect(await passkeysOf(person)).toMatchObject([{ id: passkey.id, disabled: true }]);
    // Not even with a counter that would have been good.
    expect(await sign(9)).toBe('passkey.login_failed');
    await eventually(
      () => sent.find(({ accountId }) => accountId === person.account.id),
      () => 'The person was not told',
    );
    expect(sent.filter(({ accountId }) => accountId === person.account.id)).toMatchObject([
      { title: 'A passkey was disabled', body: expect.stringContaining('"Blue key"') as string },
    ]);
    const back = await join();
    const { key: counted } = await addTo(back, 'Red key', 8);
    expect(await refused(signInAs(counted, 0))).toBe('passkey.login_failed');
    expect(await passkeysOf(back)).toMatchObject([{ disabled: true }]);
  });

  it('is refused after 30 failures of a network, and not elsewhere', async () => {
    const { key } = await addTo(await join());
    const wrong = key.signIn({ challenge: 'AAAA', origin });
    for (let n = 0; n < 30; n += 1) expect(await outcome(wrong, '192.0.2.9')).toBe('passkey.login_failed');
    const good = key.signIn({ challenge: await challenge(), origin });
    expect(await outcome(good, '192.0.2.9')).toBe('password.too_many_failures');
    expect(await outcome(good, '192.0.2.10')).toBe('not refused');
  });

  it('of a suspended account is told so', async () => {
    const person = await join();
    const { key } = await addTo(person);
    const operator = { accountId: '', process: 'operator' };
    await ask(Accounts.suspend, { accountId: person.account.id }, operator);
    expect(await refused(signInAs(key))).toBe('account.suspended');
  });
});

describe('the last way to sign in', () => {
  const removePassword = (person: SignedIn) => refused(ask(Accounts.removePassword, {}, callerOf(person)));
  const removePasskey = (person: SignedIn, id: string) =>
    refused(ask(Passkeys.remove, { id }, callerOf(person)));
  const signInByPassword = ({ account: { email } }: SignedIn) =>
    refused(ask(Accounts.signIn, { email, password, client: 'app' }));

  it('stays: the password without a passkey, the passkey without a password', async () => {
    const person = await join();
    const elsewhere = await ask(Accounts.signIn, { email: person.account.email, password, client: 'app' });
    expect(await removePassword(person)).toBe('sign_in.last_method');
    const { key, passkey, recoveryCodes } = await addTo(person);
    expect(await removePassword(person)).toBe('not refused');
    expect(await removePassword(person)).toBe('not refused');
    const pepper = Buffer.from(parts.env['CARILLON_PEPPER'] as string, 'base64');
    const identify = ({ session }: SignedIn) =>
      refused(ask(Accounts.identifySession, { hash: hashSecret(pepper, session.accessToken) }));
    expect(await identify(elsewhere)).toBe('session.ended');
    expect(await identify(person)).toBe('not refused');
    expect(await signInByPassword(person)).toBe('session.login_failed');
    expect(await removePasskey(person, passkey.id)).toBe('sign_in.last_method');
    // A recovery code needs no password where there is none.
    const { email } = person.account;
    const recoveryCode = recoveryCodes?.[0] ?? '';
    expect(await refused(ask(Accounts.recover, { email, recoveryCode: 'wrong' }))).toBe(
      'session.login_failed',
    );
    const back = await ask(Accounts.recover, { email, recoveryCode, client: 'app' });
    const next = 'a password of next year';
    await ask(Accounts.changePassword, { next }, callerOf(back));
    expect(await removePasskey(back, passkey.id)).toBe('not refused');
    expect(await removePasskey(back, passkey.id)).toBe('passkey.not_found');
    expect(await refused(signInAs(key))).toBe('passkey.login_failed');
    expect(await refused(ask(Accounts.signIn, { email, password: next, client: 'app' }))).toBe('not refused');
  });

  it('is no disabled passkey', async () => {
    const person = await join();
    const { key, passkey } = await addTo(person, 'Cloned', 5);
    expect(await refused(signInAs(key, 5))).toBe('passkey.login_failed');
    expect(await removePassword(person)).toBe('sign_in.last_method');
    expect(await removePasskey(person, passkey.id)).toBe('not refused');
  });

  it('stays when the password and the passkey are removed at once', async () => {
    for (let n = 0; n < 5; n += 1) {
      const person = await join();
      const { passkey } = await addTo(person);
      const outcomes = await Promise.all([removePassword(person), removePasskey(person, passkey.id)]);
      expect(outcomes.filter((each) => each === 'not refused')).toHaveLength(1);
      expect(outcomes).toContain('sign_in.last_method');
      const { state } = await log.load(account, streamTail(person.account.id));
      expect([state?.passwordHash !== null, state?.passkeys.length === 1].filter(Boolean)).toHaveLength(1);
    }
  });

  it('is nobody else’s to remove', async () => {
    const [person, other] = [await join(), await join()];
    const { passkey } = await addTo(person);
    expect(await removePasskey(other, passkey.id)).toBe('passkey.not_found');
    expect(await passkeysOf(person)).toHaveLength(1);
    await clock.advance(16 * minute);
    expect(await removePasskey(person, passkey.id)).toBe('session.reauth_required');
    expect(await removePassword(person)).toBe('session.reauth_required');
  });
});
