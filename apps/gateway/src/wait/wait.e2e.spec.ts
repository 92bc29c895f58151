import { randomBytes } from 'node:crypto';
import {
  eventually,
  type House,
  type HouseAccount,
  type HouseAnswer,
  listen,
  startGateway,
  startHouse,
} from '@carillon/testkit';

const pepper = randomBytes(32).toString('base64');
let house: House;
let person: HouseAccount;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
    env: { CARILLON_PEPPER: pepper },
  });
  person = await house.anotherAccount();
}, 120_000);
afterAll(() => house?.close(), 90_000);

interface Asked {
  readonly id: string;
  readonly actionDigest: string;
}
const deploy = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval' };
const ask = async (more: object = {}, token = person.apiToken): Promise<Asked> => {
  const answer = await person.api('POST', '/interactions', { token, body: { ...deploy, ...more } });
  expect(answer.status).toBe(201);
  return answer.body.interaction;
};
const wait = (id: string, seconds: number | string = 55, token = person.apiToken) =>
  person.api('GET', `/interactions/${id}/wait?timeoutSeconds=${seconds}`, { token });
const respond = ({ id, actionDigest }: Asked, answer = 'approved') =>
  person.session('POST', `/prompts/${id}/answer`, { body: { answer, actionDigest } });
const cancel = (id: string) => person.api('POST', `/interactions/${id}/cancel`);
const newToken = async (more: object = {}): Promise<{ id: string; secret: string }> => {
  const scopes = ['interactions:create', 'interactions:read'];
  const { body } = await person.session('POST', '/tokens', { body: { name: 'Waits', scopes, ...more } });
  return { id: body.token.id, secret: body.secret };
};
const problem = (status: number, code: string, more: object = {}) => ({ status, body: { code, ...more } });
/** Whether a request has been answered by now. */
const watched = (request: Promise<HouseAnswer>) => {
  const seen = { answered: false, request };
  void request.finally(() => (seen.answered = true)).catch(() => {});
  return seen;
};
/** Time enough for a request to arrive, so that what follows comes while it waits. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 300));

/** A wait that its client can leave, at any gateway. */
function open(base: string, id: string, token: string, seconds = 55) {
  const leaving = new AbortController();
  const answer = fetch(`${base}/api/agent/interactions/${id}/wait?timeoutSeconds=${seconds}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  }).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as any,
  }));
  answer.catch(() => {});
  return { answer, leave: () => leaving.abort() };
}

describe('a wait', () => {
  it('for a prompt that has ended is over at once', async () => {
    const prompt = await ask();
    await respond(prompt);
    expect(await wait(prompt.id)).toMatchObject({
      status: 200,
      body: { timedOut: false, interaction: { id: prompt.id, status: 'approved', response: 'approved' } },
    });
  });

  it('of no time only looks', async () => {
    const { id } = await ask();
    expect(await wait(id, 0)).toMatchObject({
      status: 200,
      body: { timedOut: true, interaction: { id, status: 'pending' } },
    });
  });

  it('of a second is over after it', async () => {
    const { id } = await ask();
    const from = Date.now();
    expect((await wait(id, 1)).body).toMatchObject({ timedOut: true, interaction: { status: 'pending' } });
    expect(Date.now() - from).toBeGreaterThanOrEqual(950);
  });

  it.each<[string, (prompt: Asked) => Promise<unknown>, object]>([
    ['an answer', (prompt) => respond(prompt, 'denied'), { status: 'denied', response: 'denied' }],
    ['its taking back', ({ id }) => cancel(id), { status: 'canceled', response: null }],
    ['its expiry', () => house.advance(31), { status: 'expired', response: null, respondedAt: null }],
  ])('is ended by %s', async (_, end, interaction) => {
    const prompt = await ask({ expiresInSeconds: 30 });
    const waiting = watched(wait(prompt.id));
    await settle();
    expect(waiting.answered).toBe(false);
    await end(prompt);
    expect(await waiting.request).toMatchObject({ status: 200, body: { timedOut: false, interaction } });
  });

  it('that nobody ends is over when its time is, by the clock of the service', async () => {
    const { id } = await ask();
    const waiting = watched(wait(id));
    await settle();
    await house.advance(20);
    await settle();
    expect(waiting.answered).toBe(false);
    await house.advance(36);
    expect((await waiting.request).body).toMatchObject({
      timedOut: true,
      interaction: { status: 'pending' },
    });
  });

  it('is 25 seconds unless said', async () => {
    const { id } = await ask();
    const waiting = watched(person.api('GET', `/interactions/${id}/wait`));
    await settle();
    await house.advance(20);
    await settle();
    expect(waiting.answered).toBe(false);
    await house.advance(6);
    expect((await waiting.request).body.timedOut).toBe(true);
  });

  it('of several for one prompt ends for all of them', async () => {
    const prompt = await ask();
    const waiting = Array.from({ length: 10 }, () => wait(prompt.id));
    await settle();
    await respond(prompt);
    for (const answer of await Promise.all(waiting))
      expect(answer.body).toMatchObject({ timedOut: false, interaction: { status: 'approved' } });
  });

  it('begun at any moment around the answer is told of it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const prompt = await ask();
      const waiting = [wait(prompt.id), wait(prompt.id)];
      const answering = respond(prompt);
      for (let n = 0; n < 4; n += 1) {
        waiting.push(wait(prompt.id));
        await new Promise((resolve) => setTimeout(resolve, n));
      }
      await answering;
      waiting.push(wait(prompt.id));
      for (const answer of await Promise.all(waiting))
        expect(answer.body).toMatchObject({ timedOut: false, interaction: { status: 'approved' } });
    }
  });

  it.each(['56', '-1', '1.5', 'x', '', 'null'])('of %j seconds is refused', async (seconds) => {
    const { id } = await ask();
    const answer = await wait(id, seconds);
    expect(answer).toMatchObject(problem(400, 'VALIDATION_FAILED', { issues: [{ path: 'timeoutSeconds' }] }));
  });

  it('for another token’s prompt, or for none, is refused', async () => {
    const { id } = await ask();
    const { secret } = await newToken();
    expect(await wait(id, 0, secret)).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await (await house.anotherAccount()).api('GET', `/interactions/${id}/wait`)).toMatchObject(
      problem(404, 'NOT_FOUND'),
    );
    expect(await wait('int_00000000000000000000000000', 0)).toMatchObject(problem(404, 'NOT_FOUND'));
    expect(await wait('a b', 0)).toMatchObject(problem(400, 'INVALID_ID'));
  });

  it('answers with the position of the log, so that other gateways show no less', async () => {
    const prompt = await ask();
    await respond(prompt);
    expect((await wait(prompt.id)).headers.get('carillon-position')).toMatch(/^[0-9]+$/);
  });
});

describe('a token', () => {
  /** More waits than a token has permits for: gives those that stay open. */
  const openAll = async (id: string, secret: string) => {
    const waits = Array.from({ length: 25 }, () => {
      const { answer, leave } = open(house.state.baseUrl, id, secret);
      const each = { leave, refused: undefined as HouseAnswer | undefined };
      answer.then(
        (given) => (each.refused = given),
        () => {},
      );
      return each;
    });
    const refused = await eventually(
      () => {
        const all = waits.flatMap((each) => each.refused ?? []);
        return all.length >= 5 ? all : undefined;
      },
      () => 'a 21st wait is let in',
      30_000,
    );
    await settle();
    expect(waits.filter((each) => !each.refused)).toHaveLength(20);
    return { refused, waits: waits.filter((each) => !each.refused) };
  };
  const answered = (base: string, id: string, secret: string, status: number, missing: string) =>
    eventually(
      async () => ((await open(base, id, secret, 0).answer).status === status ? true : undefined),
      () => missing,
      30_000,
    );

  it('has 20 waits open at most; one that is left makes space', async () => {
    const { secret } = await newToken();
    const { id } = await ask({}, secret);
    const { refused, waits } = await openAll(id, secret);
    for (const answer of refused) {
      expect(answer).toMatchObject(problem(429, 'TOO_MANY_WAITS', { limit: 20, retryAfter: 1 }));
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    // Other tokens can still wait.
    expect((await wait((await ask()).id, 0)).status).toBe(200);
    waits[7]!.leave();
    await answered(house.state.baseUrl, id, secret, 200, 'the permit of a closed wait is not free');
    for (const each of waits) each.leave();
    // All of them are: as many can come again.
    await eventually(
      async () => {
        const again = Array.from({ length: 20 }, () => wait(id, 0, secret));
        return (await Promise.all(again)).every(({ status }) => status === 200) || undefined;
      },
      () => 'the permits of those who left are not free',
      30_000,
    );
  });

  it('has them over all gateways', async () => {
    const { secret } = await newToken();
    const { id } = await ask({}, secret);
    const second = await startGateway(house, pepper);
    try {
      const { waits } = await openAll(id, secret);
      await answered(second.url, id, secret, 429, 'a 21st wait is let in at the other gateway');
      waits[0]!.leave();
      await answered(
        second.url,
        id,
        secret,
        200,
        'the permit of a closed wait is not free at the other gateway',
      );
      for (const each of waits) each.leave();
    } finally {
      await second.stop();
    }
  }, 60_000);

  it('has no more when two gateways are asked for the last ones in the same moment', async () => {
    const { secret } = await newToken();
    const { id } = await ask({}, secret);
    const second = await startGateway(house, pepper);
    try {
      let refused = 0;
      const waits = Array.from({ length: 30 }, (_, n) => {
        const each = open(n % 2 ? second.url : house.state.baseUrl, id, secret);
        each.answer.then(
          ({ status }) => (refused += status === 429 ? 1 : 1_000),
          () => {},
        );
        return each;
      });
      await eventually(
        () => refused >= 10 || undefined,
        () => `only ${refused} of 30 waits are refused`,
        30_000,
      );
      await settle();
      expect(refused).toBe(10);
      for (const each of waits) each.leave();
    } finally {
      await second.stop();
    }
  }, 60_000);

  it('that is revoked ends its waits, and no other', async () => {
    const [revoked, kept] = [await newToken(), await newToken()];
    const [mine, theirs] = [await ask({}, revoked.secret), await ask({}, kept.secret)];
    const ended = [1, 2, 3].map(() => wait(mine.id, 55, revoked.secret));
    const going = watched(wait(theirs.id, 55, kept.secret));
    await settle();
    expect((await person.session('DELETE', `/tokens/${revoked.id}`)).status).toBe(200);
    for (const answer of await Promise.all(ended)) {
      expect(answer).toMatchObject(problem(401, 'TOKEN_REVOKED'));
      expect(answer.headers.get('www-authenticate')).toContain('invalid_token');
    }
    expect(going.answered).toBe(false);
    await respond(theirs);
    expect((await going.request).body.timedOut).toBe(false);
    // What it asked can be answered all the same.
    expect((await respond(mine)).status).toBe(200);
  });

  it('that ends itself ends its waits', async () => {
    const { secret } = await newToken();
    const { id } = await ask({}, secret);
    const waiting = wait(id, 55, secret);
    await settle();
    await person.api('POST', '/auth/revoke', { token: secret });
    expect(await waiting).toMatchObject(problem(401, 'TOKEN_REVOKED'));
  });

  it('that expires ends its waits', async () => {
    const now = await house.advance(0);
    const { secret } = await newToken({ expiresAt: new Date(Date.parse(now) + 40_000).toISOString() });
    const { id } = await ask({}, secret);
    const waiting = wait(id, 55, secret);
    await settle();
    await house.advance(41);
    expect(await waiting).toMatchObject(problem(401, 'TOKEN_EXPIRED'));
  });
});

describe('several gateways', () => {
  it('wake the waits at the other one', async () => {
    const second = await startGateway(house, pepper);
    try {
      const [one, other] = [await ask(), await ask()];
      const waits = [
        open(second.url, one.id, person.apiToken),
        open(house.state.baseUrl, other.id, person.apiToken),
      ];
      await settle();
      const { accessToken } = (
        await house.http('POST', '/api/session/login/password', {
          body: { email: person.email, password: person.password, client: 'app' },
        })
      ).body;
      await respond(one);
      const answered = await fetch(`${second.url}/api/session/prompts/${other.id}/answer`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ answer: 'denied', actionDigest: other.actionDigest }),
      });
      expect(answered.status).toBe(200);
      const [first, last] = await Promise.all(waits.map(({ answer }) => answer));
      expect(first!.body).toMatchObject({ timedOut: false, interaction: { status: 'approved' } });
      expect(last!.body).toMatchObject({ timedOut: false, interaction: { status: 'denied' } });
    } finally {
      await second.stop();
    }
  }, 60_000);

  it('that stop ask their waiting clients to retry, and the other goes on', async () => {
    const second = await startGateway(house, pepper);
    const { secret } = await newToken();
    const prompt = await ask({}, secret);
    const waits = Array.from({ length: 25 }, () => open(second.url, prompt.id, secret).answer);
    // A refused wait is the twenty-first.
    let refused = 0;
    for (const each of waits) each.then(({ status }) => (refused += Number(status === 429))).catch(() => {});
    await eventually(
      () => refused >= 5 || undefined,
      () => 'they do not wait',
      30_000,
    );
    await second.stop();
    const leaving = (await Promise.all(waits)).filter(({ status }) => status !== 429);
    expect(leaving).toHaveLength(20);
    for (const told of leaving) {
      expect(told).toMatchObject(problem(503, 'UNAVAILABLE', { retryAfter: 1 }));
      expect(told.headers.get('retry-after')).toBe('1');
    }
    const other = await ask();
    const staying = open(house.state.baseUrl, other.id, person.apiToken);
    await settle();
    await respond(other);
    expect((await staying.answer).body).toMatchObject({
      timedOut: false,
      interaction: { status: 'approved' },
    });
  }, 60_000);

  it('count what is asked together', async () => {
    const limited = await house.anotherAccount();
    const second = await startGateway(house, pepper, { CARILLON_ACCOUNT_PER_MINUTE: '3' });
    try {
      await house.beginWindow();
      const statuses: number[] = [];
      for (let n = 0; n < 4; n += 1)
        statuses.push(
          (
            await fetch(`${second.url}/api/agent/interactions`, {
              method: 'POST',
              headers: { authorization: `Bearer ${limited.apiToken}`, 'content-type': 'application/json' },
              body: JSON.stringify(deploy),
            })
          ).status,
        );
      expect(statuses).toEqual([201, 201, 201, 429]);
    } finally {
      await second.stop();
    }
  }, 60_000);
});

it('a gateway that holds as many waits and streams as it may refuses more with 503, until one of them ends', async () => {
  const second = await startGateway(house, pepper, { CARILLON_OPEN_PER_GATEWAY: '2' });
  try {
    const prompt = await ask();
    const session = { authorization: `Bearer ${await person.signIn()}` };
    const stream = await listen(`${second.url}/api/session/stream`, session);
    const first = open(second.url, prompt.id, person.apiToken);
    await settle();
    const refused = await open(second.url, prompt.id, person.apiToken, 0).answer;
    expect(refused).toMatchObject(problem(503, 'UNAVAILABLE', { retryAfter: 5 }));
    const another = await listen(`${second.url}/api/session/stream`, session);
    await another.end();
    expect([another.status, another.answer.headers.get('retry-after')]).toEqual([503, '5']);
    expect(another.answer.headers.get('connection')).toBe('close');
    // The other gateway has room.
    expect(await wait(prompt.id, 0)).toMatchObject({ status: 200 });
    await stream.leave();
    await eventually(
      async () => (await open(second.url, prompt.id, person.apiToken, 0).answer).status === 200 || undefined,
      () => 'the place of a stream that its client has left is not free',
    );
    await respond(prompt);
    expect((await first.answer).body).toMatchObject({ interaction: { status: 'approved' } });
    const more = await listen(`${second.url}/api/session/stream`, session);
    expect(more.status).toBe(200);
    await more.leave();
  } finally {
    await second.stop();
  }
}, 60_000);

it('the installation ends its waits with a retryable error when it stops, and continues after a restart', async () => {
  const prompt = await ask();
  const leaving = open(house.state.baseUrl, prompt.id, person.apiToken);
  await settle();
  await house.restart();
  expect(await leaving.answer).toMatchObject(problem(503, 'UNAVAILABLE', { retryAfter: 1 }));
  const again = open(house.state.baseUrl, prompt.id, person.apiToken);
  await settle();
  await respond(prompt, 'denied');
  expect((await again.answer).body).toMatchObject({ timedOut: false, interaction: { status: 'denied' } });
}, 120_000);
