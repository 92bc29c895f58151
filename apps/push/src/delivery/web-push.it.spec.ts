import { answer, type Answer, Handles } from '@carillon/bus';
import { AccountById, Accounts, type Person, Push } from '@carillon/contracts';
import { Refused } from '@carillon/eventing';
import { KeyRing } from '@carillon/signing';
import { Database } from '@carillon/event-store';
import {
  contextOf,
  eventually,
  type NameServer,
  newAccount,
  type StandIns,
  startNames,
  startStandIns,
} from '@carillon/testkit';
import { Controller } from '@nestjs/common';
import {
  activeOf,
  answerAs,
  ask,
  begin,
  bus,
  cancel,
  cleared,
  clearFaults,
  clock,
  fault,
  natsUrl,
  phone,
  received,
  receivedCount,
  rows,
  send,
  service,
  settled,
  start,
  stop,
  trayOf,
  typesOf,
  waitingRow,
} from './testbed';
import { pushTokenContext } from '../device/devices.projection';

const gone = newAccount();
/** In the place of the accounts service. */
@Controller()
class People {
  @Handles(Accounts.person)
  person({ accountId: id }: AccountById): Answer<Person> {
    if (id === gone) throw new Refused('account.not_found');
    return answer({ id, name: 'Ana', email: 'ana@example.test', emailVerified: true });
  }
}

let names: NameServer;
let accounts: StandIns;
beforeAll(async () => {
  names = await startNames({ 'web.push.apple.com': ['127.0.0.1'] });
  await begin({ CARILLON_WEBHOOK_DNS: names.address, CARILLON_WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' });
  accounts = await startStandIns(natsUrl(), People);
}, 60_000);
afterAll(async () => {
  await accounts?.close();
  await stop();
  await names?.stop();
}, 60_000);
afterEach(clearFaults);

const web = (account = newAccount(), more: object = {}) => phone(account, 'web', more);

describe('a notification to a browser', () => {
  it('is accepted beside two phones, and the worker gets its text', async () => {
    const account = newAccount();
    const browser = await web(account);
    const others = [await phone(account, 'ios'), await phone(account, 'android')];
    const id = await send([browser, ...others], { url: 'https://ci.example.test/1' });
    expect(await settled(id)).toMatchObject({ accepted: 3, final: true });
    const [push] = await received(browser);
    expect(push).toMatchObject({
      shown: true,
      verdict: { status: 201 },
      headers: {
        ttl: expect.stringMatching(/^86(400|3\d\d)$/),
        urgency: 'normal',
        topic: id,
        'content-encoding': 'aes128gcm',
      },
      payload: {
        web_push: 8030,
        notification: {
          title: 'Build finished',
          body: 'main is green',
          tag: id,
          navigate: expect.stringMatching(new RegExp(`/console/notifications/${id}$`)),
          data: {
            kind: 'notification',
            notificationId: id,
            deviceId: browser.deviceId,
            url: 'https://ci.example.test/1',
          },
        },
      },
    });
  });

  it('of many characters is cut at 3,000 bytes', async () => {
    const browser = await web();
    await settled(await send([browser], { body: '🔔'.repeat(2_000) }));
    const [push] = await received(browser);
    expect(push!.verdict.status).toBe(201);
    expect(Buffer.byteLength(JSON.stringify(push!.payload))).toBeLessThanOrEqual(3_000);
    expect(push!.payload.notification).toMatchObject({ body: expect.stringMatching(/…$/) });
  });

  it.each([404, 410])('whose subscription is gone (%i) is not pushed to again', async (status) => {
    const account = newAccount();
    const [lost, kept] = [await web(account), await web(account)];
    await fault({ phoneId: lost.id }, { status }, 1);
    expect(await settled(await send([lost, kept]))).toMatchObject({ accepted: 1 });
    await eventually(
      async () => ((await activeOf(lost)) ? undefined : true),
      () => 'it is still active',
    );
    expect(await activeOf(kept)).toBe(true);
  });

  it.each([401, 403])('that is refused for our key (%i) waits, and its device stays', async (status) => {
    const browser = await web();
    await fault({ phoneId: browser.id }, { status });
    const id = await send([browser]);
    await waitingRow(id, (row) => row.failures === 1);
    for (const ms of [61_000, 121_000, 241_000, 481_000]) {
      const before = (await received(browser)).length;
      await clock.advance(ms);
      await receivedCount(browser, before + 1);
    }
    expect(await activeOf(browser)).toBe(true);
    await clearFaults();
    await clock.advance(3_600_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
  });

  it('that is refused for its key delays no other account', async () => {
    const [foreign, other] = [await web(), await web()];
    await fault({ phoneId: foreign.id }, { status: 403 });
    const refused = await send([foreign]);
    await waitingRow(refused, (row) => row.failures === 1);
    expect(await settled(await send([other]))).toMatchObject({ accepted: 1 });
    expect(await rows(refused)).toHaveLength(1);
  });

  it('that is too large for its push service is not retried', async () => {
    const browser = await web();
    await fault({ phoneId: browser.id }, { status: 413 }, 1);
    expect((await settled(await send([browser]))).receipts).toMatchObject([
      { status: 'error', errorCode: 'http_413' },
    ]);
    expect(await activeOf(browser)).toBe(true);
  });

  it.each([
    [429, 7],
    [503, 7],
  ])('that is answered %i is retried when Retry-After says', async (status, retryAfterSeconds) => {
    const browser = await web();
    await fault({ phoneId: browser.id }, { status, retryAfterSeconds }, 1);
    const id = await send([browser]);
    const row = await waitingRow(id, ({ failures, throttles }) => failures + throttles === 1);
    expect(row.due_at.getTime() - clock.ms()).toBeGreaterThan(5_000);
    await clock.advance(8_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
  });

  it('whose connection is cut after it was taken is sent again with the same topic, and shown once', async () => {
    const browser = await web();
    await fault({ phoneId: browser.id }, { cut: 'after' }, 1);
    const id = await send([browser]);
    await waitingRow(id, (row) => row.ambiguous);
    await clock.advance(2_000);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const pushes = await received(browser);
    expect(pushes.map(({ headers }) => headers['topic'])).toEqual([id, id]);
    expect(await trayOf(browser)).toMatchObject([{ id }]);
  });
});

describe('a prompt to a browser', () => {
  it('is urgent, lives as long as it can be answered, and has its buttons and its digest', async () => {
    const browser = await web();
    const id = await ask([browser]);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const [push] = await received(browser);
    expect(push).toMatchObject({
      headers: { urgency: 'high', topic: id },
      payload: {
        notification: {
          requireInteraction: true,
          actions: [{ action: 'approved' }, { action: 'denied' }],
          data: {
            kind: 'prompt',
            promptId: id,
            actionDigest: expect.stringMatching(/^sha256:/),
            deviceId: browser.deviceId,
          },
        },
      },
    });
    expect(Number(push!.headers['ttl'])).toBeLessThan(86_400);
  });

  it('that ends is replaced without a sound', async () => {
    const browser = await web();
    const id = await ask([browser]);
    await settled(id);
    await cancel(id, browser);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
    const pushes = await received(browser);
    expect(typesOf(pushes)).toEqual(['prompt', 'withdraw']);
    expect(pushes[1]!.payload.notification).toMatchObject({ tag: id, silent: true, title: 'Canceled' });
    expect(pushes[1]!.headers).toMatchObject({ urgency: 'normal', topic: expect.stringMatching(/^.{32}$/) });
    expect(await trayOf(browser)).toEqual([]);
  });

  it('that is answered says by whom, while that can be read', async () => {
    const browser = await web();
    const { deviceId, account } = browser;
    const answered = async (personId: string) => {
      const id = await ask([browser]);
      await settled(id);
      await answerAs(id, browser, personId);
      expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 1 });
      const push = (await received(browser)).at(-1)!;
      return push.payload.notification;
    };
    const silent = { silent: true, data: { kind: 'withdraw', deviceId } };
    expect(await answered(account)).toMatchObject({ ...silent, title: 'Answered by Ana' });
    expect(await answered(gone)).toMatchObject({ ...silent, title: 'Answered' });
    await accounts.close();
    expect(await answered(account)).toMatchObject({ ...silent, title: 'Answered' });
    accounts = await startStandIns(natsUrl(), People);
  });
});

describe('a browser behind the push service of Apple', () => {
  const apple = (account = newAccount()) => web(account, { host: 'web.push.apple.com' });

  it('gets pushes, and no withdrawal: three that ring nobody would cost its subscription', async () => {
    const browser = await apple();
    const id = await send([browser]);
    expect(await settled(id)).toMatchObject({ accepted: 1 });
    const clear = await bus.ask(Push.clear, { subjectId: id }, contextOf(browser.account));
    expect(clear.value).toEqual({ reached: 1, cleared: 0, unclearable: 1 });
    expect(typesOf(await received(browser))).toEqual(['notification']);
  });

  it('counts as one that did not take a withdrawal that others took', async () => {
    const account = newAccount();
    const [browser, other] = [await apple(account), await web(account)];
    const id = await send([browser, other]);
    await settled(id);
    const clear = await bus.ask(Push.clear, { subjectId: id }, contextOf(account));
    expect(clear.value).toEqual({ reached: 2, cleared: 1 });
    expect(typesOf(await received(other))).toEqual(['notification', 'withdraw']);
    expect(typesOf(await received(browser))).toEqual(['notification']);
  });

  it('is told nothing when its prompt ends', async () => {
    const browser = await apple();
    const id = await ask([browser]);
    await settled(id);
    await cancel(id, browser);
    expect(await cleared(id)).toMatchObject({ reached: 1, cleared: 0 });
    expect(typesOf(await received(browser))).toEqual(['prompt']);
  });
});

describe('the host of an endpoint', () => {
  it('that leads to a private address by now is not called, also over a connection that is open', async () => {
    names.says('web.push.apple.com', ['127.0.0.1']);
    const browser = await web(newAccount(), { host: 'web.push.apple.com' });
    expect(await settled(await send([browser]))).toMatchObject({ accepted: 1 });
    for (const address of ['10.0.0.7', '169.254.169.254']) {
      names.says('web.push.apple.com', ['127.0.0.1', address]);
      expect((await settled(await send([browser]))).receipts).toMatchObject([
        { status: 'error', errorCode: 'blocked_address' },
      ]);
    }
    expect(await received(browser)).toHaveLength(1);
    expect(await activeOf(browser)).toBe(true);
    names.says('web.push.apple.com', ['127.0.0.1']);
    expect(await settled(await send([browser]))).toMatchObject({ accepted: 1 });
  });

  it('that is slow delays only its own pushes', async () => {
    const [slow, fast] = [await web(newAccount(), { host: 'web.push.apple.com' }), await web()];
    await fault({ phoneId: slow.id }, { latencyMs: 8_000 });
    const waiting = await Promise.all(Array.from({ length: 80 }, () => send([slow])));
    let isSlowDone = false;
    const first = Promise.any(waiting.map((id) => settled(id, 60_000))).then(() => (isSlowDone = true));
    for (let n = 0; n < 5; n += 1) expect(await settled(await send([fast]))).toMatchObject({ accepted: 1 });
    expect(isSlowDone).toBe(false);
    await first;
    for (const id of waiting) expect(await settled(id, 60_000)).toMatchObject({ accepted: 1 });
  });
});

describe('an operator who', () => {
  const startedWith = async (subject: string): Promise<void> => {
    await service.close();
    process.env['CARILLON_WEB_PUSH_SUBJECT'] = subject;
    await start();
  };
  const key = async () => (await bus.ask(Push.webPushKey, {}, contextOf(newAccount()))).value;

  it.each([
    ['names no subject', '', 'subject_missing'],
    ['names this machine as the subject', 'mailto:me@localhost', 'subject_local'],
  ])('%s turns Web Push off: browsers are told why, and stay', async (_, given, reason) => {
    const browser = await web();
    const { key: before } = await key();
    expect(Buffer.from(before!, 'base64url')).toHaveLength(65);
    await startedWith(given);
    expect(await key()).toEqual({ key: null, reason });
    expect((await settled(await send([browser]))).receipts).toMatchObject([
      { status: 'error', errorCode: 'provider_not_configured' },
    ]);
    expect(await activeOf(browser)).toBe(true);
    await startedWith('mailto:operator@carillon.example');
    expect(await key()).toEqual({ key: before });
    expect(await settled(await send([browser]))).toMatchObject({ accepted: 1 });
  });
});

describe('a subscription', () => {
  it('is kept when the key that it was made with is missing', async () => {
    const browser = await web();
    const { sealed, opened } = await tokenOf(browser.deviceId);
    await replace(browser.deviceId, opened.replace(/ [^ ]+$/, ' gone'));
    expect((await settled(await send([browser]))).receipts).toMatchObject([
      { status: 'error', errorCode: 'vapid_key_missing' },
    ]);
    expect(await activeOf(browser)).toBe(true);
    expect(sealed).not.toContain(new URL(opened.split(' ')[0]!).pathname);
  });

  it('whose key nothing can be encrypted for settles its push, and none is sent', async () => {
    const browser = await web();
    const { opened } = await tokenOf(browser.deviceId);
    const [endpoint, , ...others] = opened.split(' ');
    await replace(browser.deviceId, [endpoint, 'AAAA', ...others].join(' '));
    expect((await settled(await send([browser]))).receipts).toMatchObject([
      { status: 'error', errorCode: 'request_not_made' },
    ]);
    expect(await received(browser)).toEqual([]);
  });
});

async function tokenOf(deviceId: string): Promise<{ sealed: string; opened: string }> {
  const [row] = await service
    .get(Database)
    .query<{ push_token: string }>(`SELECT push_token FROM devices WHERE device_id = $1`, [deviceId]);
  const sealed = row!.push_token;
  return { sealed, opened: service.get(KeyRing).open(sealed, pushTokenContext(deviceId)).toString() };
}

const replace = (deviceId: string, token: string) =>
  service
    .get(Database)
    .query(`UPDATE devices SET push_token = $2 WHERE device_id = $1`, [
      deviceId,
      service.get(KeyRing).seal(token, pushTokenContext(deviceId)),
    ]);
