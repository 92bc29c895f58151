import {
  eventually,
  type House,
  type HouseAnswer,
  type HousePhone,
  listen,
  type ReceivedPush,
  type TrayItem,
  startHouse,
  trayOf,
  whileTimePasses,
} from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({ limits: 'off' });
}, 120_000);
afterAll(() => house?.close(), 90_000);
afterEach(() => house.simulator('DELETE', '/faults'));

const deploy = { kind: 'approval', title: 'Deploy?', prompt: 'Deploy main to production?' };
const post = (body: object): Promise<HouseAnswer> => house.api('POST', '/interactions', { body });
/** Asked and accepted for as many phones as said. */
async function ask(more: object = {}, accepted = 2) {
  const answer = await post({ ...deploy, ...more });
  expect(answer).toMatchObject({ status: 201, body: { accepted } });
  return answer.body.interaction as { id: string; actionDigest: string; expiresAt: string };
}
const read = async (id: string) => (await house.api('GET', `/interactions/${id}`)).body.interaction;
const cancel = (id: string) => house.api('POST', `/interactions/${id}/cancel`);
const press = async ({ id }: HousePhone, promptId: string, answer: string) =>
  (await house.simulator('POST', `/phones/${id}/press`, { promptId, answer })).body as {
    status: number;
    body: any;
  };
const both = (): readonly HousePhone[] => [house.phones.ios, house.phones.android];
const shownOn = async (phone: HousePhone, promptId: string): Promise<TrayItem | undefined> =>
  (await trayOf(house, phone)).find((shown) => shown.promptId === promptId);
const typeOf = ({ payload }: ReceivedPush): string => (payload.carillon ?? payload.data).type;
const expectTypes = async (phone: HousePhone, ...types: string[]): Promise<ReceivedPush[]> => {
  const pushes = await house.expectPushes(phone, types.length, 30_000);
  expect(pushes.map(typeOf)).toEqual(types);
  return pushes;
};
const expectOnBoth = async (...types: string[]): Promise<ReceivedPush[][]> => [
  await expectTypes(house.phones.ios, ...types),
  await expectTypes(house.phones.android, ...types),
];
const gone = (phone: HousePhone, promptId: string): Promise<true> =>
  eventually(
    async () => ((await shownOn(phone, promptId)) ? undefined : true),
    () => `${promptId} is still shown`,
    30_000,
  );

describe('an approval', () => {
  it('is shown on both phones with its labels; one press answers it, clears the other phone and ends the wait', async () => {
    const prompt = await ask({
      primaryLabel: 'Ship it',
      secondaryLabel: 'Not yet',
      url: 'https://ci.test/1',
    });
    const [[onIphone], [onAndroid]] = (await expectOnBoth('prompt')) as [ReceivedPush[], ReceivedPush[]];
    expect(onIphone).toMatchObject({
      verdict: { status: 200 },
      shown: true,
      headers: { 'apns-push-type': 'alert', 'apns-collapse-id': prompt.id },
      payload: { aps: { 'interruption-level': 'time-sensitive', category: 'CARILLON_APPROVAL' } },
    });
    expect(onAndroid).toMatchObject({ verdict: { status: 200 }, payload: { android: { priority: 'high' } } });
    for (const phone of both())
      expect(await shownOn(phone, prompt.id)).toMatchObject({
        title: deploy.title,
        body: deploy.prompt,
        actionDigest: prompt.actionDigest,
        actions: [
          { answer: 'approved', label: 'Ship it' },
          { answer: 'denied', label: 'Not yet' },
        ],
        reply: false,
      });

    const waiting = house.api('GET', `/interactions/${prompt.id}/wait?timeoutSeconds=55`);
    const pressed = await press(house.phones.ios, prompt.id, 'approved');
    expect(pressed).toMatchObject({ status: 200, body: { interaction: { status: 'approved' } } });
    expect((await waiting).body).toMatchObject({
      timedOut: false,
      interaction: {
        status: 'approved',
        response: 'approved',
        respondingDeviceId: house.phones.ios.deviceId,
        respondingUserId: house.state.account.id,
      },
    });
    await expectOnBoth('withdraw');
    for (const phone of both()) await gone(phone, prompt.id);
  });

  it('has the default labels without its own, and can be denied', async () => {
    const prompt = await ask();
    await expectOnBoth('prompt');
    expect((await shownOn(house.phones.android, prompt.id))?.actions.map(({ label }) => label)).toEqual([
      'Approve',
      'Deny',
    ]);
    expect((await press(house.phones.android, prompt.id, 'denied')).status).toBe(200);
    expect(await read(prompt.id)).toMatchObject({ status: 'denied', response: 'denied' });
    await expectOnBoth('withdraw');
    await gone(house.phones.ios, prompt.id);
  });

  it('is sent only to its target phone, and cleared only there', async () => {
    const prompt = await ask({ deviceIds: [house.phones.ios.deviceId] }, 1);
    await expectTypes(house.phones.ios, 'prompt');
    await cancel(prompt.id);
    await expectTypes(house.phones.ios, 'withdraw');
    expect(await house.received(house.phones.android)).toEqual([]);
  });
});

describe('a question', () => {
  it('of yes or no has two buttons', async () => {
    const prompt = await ask({ kind: 'yes_no', primaryLabel: 'Sure' });
    await expectOnBoth('prompt');
    for (const phone of both())
      expect(await shownOn(phone, prompt.id)).toMatchObject({
        category: 'CARILLON_YES_NO',
        actions: [
          { answer: 'yes', label: 'Sure' },
          { answer: 'no', label: 'No' },
        ],
      });
    expect((await press(house.phones.android, prompt.id, 'no')).status).toBe(200);
    expect(await read(prompt.id)).toMatchObject({ status: 'no', response: 'no' });
    await expectOnBoth('withdraw');
  });

  it('that wants a reply takes a choice by its button, verbatim', async () => {
    const choices = ['Monday', 'Tuesday "late" 🔔'];
    const prompt = await ask({ kind: 'reply', title: 'When?', prompt: 'When shall we deploy?', choices });
    await expectOnBoth('prompt');
    for (const phone of both())
      expect(await shownOn(phone, prompt.id)).toMatchObject({
        category: 'CARILLON_REPLY',
        reply: true,
        actions: choices.map((choice) => ({ answer: choice, label: choice })),
      });
    expect((await press(house.phones.ios, prompt.id, choices[1]!)).status).toBe(200);
    expect(await read(prompt.id)).toMatchObject({ status: 'replied', response: choices[1] });
    await expectOnBoth('withdraw');
  });

  it('that wants a reply takes a typed one', async () => {
    const prompt = await ask({ kind: 'reply', title: 'When?', prompt: 'When shall we deploy?' });
    await expectOnBoth('prompt');
    expect(await shownOn(house.phones.ios, prompt.id)).toMatchObject({ reply: true, actions: [] });
    expect((await press(house.phones.ios, prompt.id, 'not before Wednesday')).status).toBe(200);
    expect(await read(prompt.id)).toMatchObject({ status: 'replied', response: 'not before Wednesday' });
    await expectOnBoth('withdraw');
  });
});

describe('a prompt that ends without an answer', () => {
  it('is cleared from both phones when it is canceled, once however often that is requested', async () => {
    const prompt = await ask();
    await expectOnBoth('prompt');
    expect((await cancel(prompt.id)).status).toBe(200);
    await expectOnBoth('withdraw');
    for (const phone of both()) await gone(phone, prompt.id);
    expect((await cancel(prompt.id)).status).toBe(200);
    await ask().then(({ id }) => cancel(id));
    // What would have come for the first one has come before this.
    await expectOnBoth('prompt', 'withdraw');
  });

  it('is cleared from both phones when it expires', async () => {
    const prompt = await ask({ expiresInSeconds: 30 });
    await expectOnBoth('prompt');
    await house.advance(31);
    expect(await read(prompt.id)).toMatchObject({ status: 'expired', respondedAt: null });
    await expectOnBoth('withdraw');
    for (const phone of both()) await gone(phone, prompt.id);
  });
});

describe('a press', () => {
  it('that comes too late is refused, and changes nothing', async () => {
    const prompt = await ask();
    await expectOnBoth('prompt');
    expect((await press(house.phones.ios, prompt.id, 'approved')).status).toBe(200);
    const answered = await read(prompt.id);
    await expectOnBoth('withdraw');
    for (const phone of both())
      expect(await press(phone, prompt.id, 'denied')).toMatchObject({
        status: 409,
        body: { code: 'INTERACTION_NOT_PENDING', status: 'approved' },
      });
    expect(await read(prompt.id)).toEqual(answered);
  });

  it.each(['canceled', 'expired'])('on a prompt that was %s is refused', async (how) => {
    const prompt = await ask({ expiresInSeconds: 30 });
    await expectOnBoth('prompt');
    if (how === 'canceled') await cancel(prompt.id);
    else await house.advance(31);
    expect(await press(house.phones.ios, prompt.id, 'approved')).toMatchObject({
      status: 409,
      body: { code: 'INTERACTION_NOT_PENDING', status: how },
    });
    expect(await read(prompt.id)).toMatchObject({ status: how, response: null });
    await expectOnBoth('withdraw');
  });

  it('on each of two phones at once is accepted from exactly one', async () => {
    for (let round = 0; round < 5; round += 1) {
      const prompt = await ask();
      await expectOnBoth('prompt');
      const presses = await Promise.all([
        press(house.phones.ios, prompt.id, 'approved'),
        press(house.phones.android, prompt.id, 'denied'),
      ]);
      expect(presses.map(({ status }) => status).sort()).toEqual([200, 409]);
      const winner = presses.findIndex(({ status }) => status === 200);
      expect(await read(prompt.id)).toMatchObject({
        status: ['approved', 'denied'][winner],
        respondingDeviceId: both()[winner]!.deviceId,
      });
      await expectOnBoth('withdraw');
    }
  });
});

describe('a provider', () => {
  it('that fails once gets a retry, and the prompt is shown and cleared', async () => {
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns' },
      count: 1,
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    const answer = await whileTimePasses(house, post(deploy), {
      phone: house.phones.android,
      shows: () => true,
    });
    expect(answer.body).toMatchObject({ accepted: 2 });
    const tries = await expectTypes(house.phones.ios, 'prompt', 'prompt');
    expect(tries.map(({ verdict }) => verdict.status)).toEqual([503, 200]);
    await expectTypes(house.phones.android, 'prompt');
    await cancel(answer.body.interaction.id);
    await expectOnBoth('withdraw');
  });

  it('that fails until the prompt ends gets no retry, and that phone never rings', async () => {
    await house.simulator('POST', '/faults', {
      match: { provider: 'apns' },
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    const asked = post({ ...deploy, expiresInSeconds: 86_400 });
    await expectTypes(house.phones.android, 'prompt');
    const tries: ReceivedPush[] = [];
    await eventually(
      async () => (tries.push(...(await house.received(house.phones.ios))) > 0 ? true : undefined),
      () => 'nobody tried',
    );
    const [shown] = await trayOf(house, house.phones.android);
    expect((await press(house.phones.android, shown!.promptId!, 'approved')).status).toBe(200);
    // All pushes are settled now, so the request need not wait any longer.
    expect((await asked).body).toMatchObject({ accepted: 1 });
    await expectTypes(house.phones.android, 'withdraw');
    tries.push(...(await house.received(house.phones.ios)));
    expect(new Set(tries.map(({ verdict }) => verdict.status))).toEqual(new Set([503]));
    await house.simulator('DELETE', '/faults');
    await house.advance(3_600);
    expect(await house.received(house.phones.ios)).toEqual([]);
    expect(await shownOn(house.phones.ios, shown!.promptId!)).toBeUndefined();
  });

  it('that reports a phone as gone does not affect the other phones', async () => {
    const person = await house.anotherAccount();
    const [lost, kept] = [await person.addPhone('ios'), await person.addPhone('android')];
    await house.simulator('POST', `/phones/${lost.id}/uninstall`);
    const answer = await person.api('POST', '/interactions', { body: deploy });
    expect(answer).toMatchObject({ status: 201, body: { accepted: 1 } });
    const [refused] = await house.expectPushes(lost, 1);
    expect(refused!.verdict.status).toBe(410);
    await expectTypes(kept, 'prompt');
    expect((await press(kept, answer.body.interaction.id, 'approved')).status).toBe(200);
    await expectTypes(kept, 'withdraw');
    expect(await house.received(lost)).toEqual([]);
  });

  it('never gets more than its limit, and every choice is included', async () => {
    const wide = (letter: string, length: number) => letter.repeat(length);
    const choices = ['🔔', '🎉', '🚀', '🌍', '🍀', '🐝'].map((letter) => wide(letter, 60));
    const address = `https://ci.test/${'x'.repeat(2000)}`;
    for (const letter of ['🔔', 'ש', '"', '\\', '👩‍🚀']) {
      const title = [...wide(letter, 120)].slice(0, 120).join('');
      const text = [...wide(letter, 4000)].slice(0, 4000).join('');
      const more = { kind: 'reply', title, prompt: text, choices, url: address, imageUrl: address };
      const prompt = await ask(more);
      const [[onIphone], [onAndroid]] = (await expectOnBoth('prompt')) as [ReceivedPush[], ReceivedPush[]];
      expect(Buffer.byteLength(JSON.stringify(onIphone!.payload))).toBeLessThanOrEqual(4096);
      const data = Object.entries(onAndroid!.payload.data as Record<string, string>);
      expect(Buffer.byteLength(data.flat().join(''))).toBeLessThanOrEqual(4096);
      for (const phone of both()) {
        const shown = await shownOn(phone, prompt.id);
        expect(shown?.actions.map(({ answer }) => answer)).toEqual(choices);
        expect(shown?.body).not.toMatch(/\p{Surrogate}|\ufffd/u);
      }
      expect((await press(house.phones.ios, prompt.id, choices[5]!)).status).toBe(200);
      expect(await read(prompt.id)).toMatchObject({ response: choices[5] });
      await expectOnBoth('withdraw');
    }
  }, 60_000);
});

describe('around a prompt', () => {
  it('the feed shows how it ended, and the inbox has only its project', async () => {
    const person = await house.anotherAccount();
    const project = { projectId: 'web', projectName: 'Web shop' };
    const prompt = (await person.api('POST', '/interactions', { body: { ...deploy, ...project } })).body
      .interaction;
    expect((await person.api('GET', '/activity-feed')).body).toMatchObject({ items: [], total: 0 });
    await person.api('POST', `/interactions/${prompt.id}/cancel`);
    const { canceledAt } = (await person.api('GET', `/interactions/${prompt.id}`)).body.interaction;
    expect((await person.api('GET', '/activity-feed?kind=response')).body).toMatchObject({
      items: [
        {
          kind: 'response',
          title: deploy.title,
          detail: deploy.prompt,
          result: 'canceled',
          createdAt: canceledAt,
        },
      ],
      total: 1,
    });
    expect((await person.api('GET', '/inbox/notifications')).body.items).toEqual([]);
    expect((await person.api('GET', '/inbox/projects')).body).toMatchObject({
      projects: [{ projectId: 'web', name: 'Web shop', totalCount: 0, latestAt: null }],
      totalUnread: 0,
    });
  });

  it('the stream reports events by id and never by text', async () => {
    const person = await house.anotherAccount();
    const stream = await listen(`${house.state.baseUrl}/api/session/stream`, {
      authorization: `Bearer ${await person.signIn()}`,
    });
    await eventually(
      () => (stream.lastId === '' ? undefined : true),
      () => 'the stream did not begin',
    );
    const body = { ...deploy, kind: 'reply', title: 'a secret title', prompt: 'a secret question' };
    const made = async (more: object = {}) =>
      (await person.api('POST', '/interactions', { body: { ...body, ...more } })).body.interaction;
    const answered = await made();
    const answer = { answer: 'a secret reply', actionDigest: answered.actionDigest };
    expect((await person.session('POST', `/prompts/${answered.id}/answer`, { body: answer })).status).toBe(
      200,
    );
    const canceled = await made();
    await person.api('POST', `/interactions/${canceled.id}/cancel`);
    const expired = await made({ expiresInSeconds: 30 });
    await house.advance(31);
    const told = await stream.heard(6);
    expect(told.map(({ event, data }) => [event, data])).toEqual(
      [
        [answered, 'created'],
        [answered, 'answered'],
        [canceled, 'created'],
        [canceled, 'canceled'],
        [expired, 'created'],
        [expired, 'expired'],
      ].map(([{ id }, kind]) => [
        'prompts.changed',
        { promptId: id, kind, at: expect.any(String), position: expect.any(String) },
      ]),
    );
    expect(stream.text).not.toContain('secret');
    await stream.leave();
  });

  it('a change that the stream has reported can be read at once', async () => {
    const person = await house.anotherAccount();
    const stream = await listen(`${house.state.baseUrl}/api/session/stream`, {
      authorization: `Bearer ${await person.signIn()}`,
    });
    await eventually(
      () => (stream.lastId === '' ? undefined : true),
      () => 'the stream did not begin',
    );
    for (let n = 1; n <= 10; n += 1) {
      const asking = person.api('POST', '/interactions', { body: deploy });
      const { data } = (await stream.heard(n)).at(-1)!;
      expect((await person.session('GET', `/prompts/${data.promptId}`)).status).toBe(200);
      expect(JSON.stringify((await person.session('GET', '/prompts')).body)).toContain(data.promptId);
      await asking;
    }
    await stream.leave();
  });
});

it('when everything is killed during clearing, the prompts are cleared from the phones after the restart', async () => {
  const killed = await startHouse({ limits: 'off' });
  try {
    const of = (phone: HousePhone) => trayOf(killed, phone);
    killed.ignorePushes();
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const asked = await killed.api('POST', '/interactions', { body: deploy });
      expect(asked).toMatchObject({ status: 201 });
      ids.push(asked.body.interaction.id);
    }
    const { ios, android } = killed.phones;
    // Waits for its next try when the power goes.
    const match = { provider: 'apns', pushType: 'withdraw' };
    await killed.simulator('POST', '/faults', {
      match,
      effect: { status: 503, reason: 'ServiceUnavailable' },
    });
    await killed.api('POST', `/interactions/${ids[0]}/cancel`);
    await eventually(
      async () => ((await of(android)).length === 2 ? true : undefined),
      () => 'the Android phone was not cleared',
      30_000,
    );
    expect(await of(ios)).toHaveLength(3);
    // The phones write down what they show a moment after they show it.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await Promise.all(ids.slice(1).map((id) => killed.api('POST', `/interactions/${id}/cancel`)));
    await killed.kill9();
    await killed.start();
    for (const phone of [ios, android])
      await eventually(
        async () => ((await of(phone)).length === 0 ? true : undefined),
        () => `prompts are still shown on the ${phone.platform} phone`,
        60_000,
      );
  } finally {
    await killed.close();
  }
}, 300_000);
