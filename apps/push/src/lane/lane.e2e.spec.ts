import {
  type House,
  type HouseAccount,
  type HousePhone,
  type ReceivedPush,
  startHouse,
} from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  // The number of pushes of an activity depends on how many changes a newer one supersedes.
  house.ignorePushes();
}, 120_000);
afterAll(() => house?.close(), 90_000);
afterEach(() => house.simulator('DELETE', '/faults'));

const start = async (person: HouseAccount, more: object = {}): Promise<any> => {
  const { status, body } = await person.api('POST', '/activities', {
    body: { props: { title: 'Deploy', layout: 'ring', progress: 0 }, ...more },
  });
  if (status !== 201) throw new Error(`a start was answered ${status}: ${JSON.stringify(body)}`);
  return body;
};
const patch = async (person: HouseAccount, id: string, progress: number, more: object = {}): Promise<any> => {
  const { status, body } = await person.api('PATCH', `/activities/${id}`, {
    body: { props: { progress }, ...more },
  });
  if (status !== 200) throw new Error(`a change was answered ${status}: ${JSON.stringify(body)}`);
  return body;
};
const finish = async (person: HouseAccount, id: string): Promise<any> =>
  (await person.api('POST', `/activities/${id}/end`, { body: {} })).body;
const read = async (person: HouseAccount, id: string): Promise<any> =>
  (await person.api('GET', `/activities/${id}`)).body.activity;
const shownOn = async ({ id }: HousePhone, activityId: string): Promise<any> =>
  (await house.simulator('GET', `/phones/${id}`)).body.phone.activities.find(
    (each: any) => each.activityId === activityId,
  );
const set = (phone: HousePhone, settings: object) =>
  house.simulator('PATCH', `/phones/${phone.id}`, settings);
const register = (phone: HousePhone, activityId: string) =>
  house.simulator('POST', `/phones/${phone.id}/activities/${activityId}/register`);
const fault = (phone: HousePhone, effect: object, count?: number) =>
  house.simulator('POST', '/faults', {
    match: { phoneId: phone.id },
    effect,
    ...(count !== undefined && { count }),
  });

/** The activity pushes that the provider received for this phone since the last call, as `event sequence`. */
const told = (pushes: readonly ReceivedPush[]): string[] =>
  pushes.map(({ payload, verdict: { status } }) => {
    const [event, sequence] = payload.aps
      ? [payload.aps.event, payload.aps['content-state']?.sequence]
      : [payload.data.event, payload.data.seq];
    return `${event} ${sequence}${status === 200 ? '' : ` ${status}`}`;
  });

/** Polls until the condition holds, and reports the last value on failure. */
async function until<Seen>(look: () => Promise<Seen>, isSo: (seen: Seen) => boolean): Promise<Seen> {
  for (const deadline = Date.now() + 60_000; ;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`It stayed so: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const shows = (phone: HousePhone, id: string, sequence: number): Promise<any> =>
  until(
    () => shownOn(phone, id),
    (seen) => seen?.sequence === sequence,
  );
const isReady = (person: HouseAccount, id: string, ready: number): Promise<any> =>
  until(
    () => read(person, id),
    ({ readiness }) => readiness.ready === ready,
  );

/** Checks pushes as iOS sees them: sequences and timestamps increase; only the same content may be repeated. */
function growing(pushes: readonly ReceivedPush[]): void {
  const accepted = pushes.filter(({ verdict }) => verdict.status === 200);
  const sequences = accepted.map(({ payload }) =>
    Number(payload.aps ? payload.aps['content-state'].sequence : payload.data.seq),
  );
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
  const stamps = accepted.flatMap(({ payload }) => payload.aps?.timestamp ?? []);
  expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => a - b));
}

describe('changes that arrive faster than they are sent', () => {
  it('are superseded by the newest, and every one is counted', async () => {
    const person = await house.anotherAccount();
    const phones = [await person.addPhone('ios'), await person.addPhone('android')];
    const { id } = (await start(person)).activity;
    await isReady(person, id, 2);
    let superseded = 0;
    for (let step = 1; step <= 20; step += 1)
      superseded += (await patch(person, id, step / 20)).superseded ?? 0;
    for (const phone of phones) await shows(phone, id, 21);
    const pushes = await Promise.all(phones.map((phone) => house.received(phone)));
    pushes.forEach(growing);
    const updates = pushes.flatMap(told).filter((one) => one.startsWith('update'));
    expect(updates.length + superseded).toBe(40);
    expect(
      await until(
        () => read(person, id),
        ({ accepted }) => accepted === 2,
      ),
    ).toMatchObject({
      status: 'active',
      failed: 0,
    });
  });

  it('never overtake a milestone', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    await set(phone, { registerUpdateTokens: 'manual' });
    const { id } = (await start(person)).activity;
    await shows(phone, id, 1);
    for (const [progress, priority] of [
      [0.1, 'normal'],
      [0.2, 'normal'],
      [0.3, 'high'],
      [0.4, 'normal'],
      [0.5, 'normal'],
      [0.6, 'high'],
    ] as const)
      await patch(person, id, progress, { priority });
    await register(phone, id);
    await shows(phone, id, 7);
    expect(told(await house.received(phone))).toEqual([
      'start 1',
      'update 3',
      'update 4',
      'update 6',
      'update 7',
    ]);
  });
});

describe('an iPhone whose update token', () => {
  const waiting = async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    await set(phone, { registerUpdateTokens: 'manual' });
    const { id } = (await start(person, { expiresInSeconds: 600 })).activity;
    await shows(phone, id, 1);
    await until(
      () => read(person, id),
      ({ readiness }) => readiness.awaitingUpdateToken === 1,
    );
    return { person, phone, id };
  };

  it('is late receives everything once it arrives, and the sender gets a warning before', async () => {
    const { person, phone, id } = await waiting();
    expect(await patch(person, id, 0.5)).toMatchObject({ accepted: 0, failed: 0, queued: 1 });
    expect((await read(person, id)).readiness.warnings).toEqual([]);
    await house.advance(31);
    expect((await read(person, id)).readiness).toMatchObject({
      ready: 0,
      awaitingUpdateToken: 1,
      warnings: ['update_token_delayed'],
    });
    await register(phone, id);
    await shows(phone, id, 2);
    expect((await isReady(person, id, 1)).readiness).toMatchObject({ warnings: [], awaitingUpdateToken: 0 });
  });

  it('is late receives even the end, in order', async () => {
    const { person, phone, id } = await waiting();
    await patch(person, id, 0.5, { priority: 'high' });
    await patch(person, id, 0.9);
    expect(await finish(person, id)).toMatchObject({
      activity: { status: 'ended' },
      accepted: 0,
      failed: 0,
      queued: 1,
    });
    await house.received(phone);
    await register(phone, id);
    await until(
      () => shownOn(phone, id),
      ({ state }) => state === 'ended',
    );
    expect(told(await house.received(phone))).toEqual(['update 2', 'update 3', 'end 4']);
    await until(
      () => read(person, id),
      ({ accepted }) => accepted === 1,
    );
  });

  it('never arrives receives nothing after the deadline', async () => {
    const { person, phone, id } = await waiting();
    await patch(person, id, 0.5);
    await house.received(phone);
    await house.advance(601);
    expect(await read(person, id)).toMatchObject({ status: 'expired' });
    // Two hours later nothing is sent any more, not even to a token that arrives then.
    await house.advance(7_200);
    await register(phone, id);
    expect(told(await house.received(phone))).toEqual([]);
    // iOS shows the activity as stale by itself.
    expect((await shownOn(phone, id)).state).toBe('stale');
  });

  it('changes receives the newest state at the new token', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    const { id } = (await start(person)).activity;
    await isReady(person, id, 1);
    await patch(person, id, 0.5);
    await shows(phone, id, 2);
    await house.received(phone);
    await house.simulator('POST', `/phones/${phone.id}/activities/${id}/rotate`);
    const again = await house.expectPushes(phone, 1, 30_000);
    expect(told(again)).toEqual(['update 2']);
    await patch(person, id, 0.7);
    await shows(phone, id, 3);
    expect(await read(person, id)).toMatchObject({ status: 'active', failed: 0 });
    const { devices } = (await person.api('GET', '/devices')).body;
    expect(devices).toMatchObject([{ active: true }]);
  });

  it('dies before the new one is registered keeps the waiting operations', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    const { id } = (await start(person)).activity;
    await isReady(person, id, 1);
    await set(phone, { registerUpdateTokens: 'manual' });
    await house.simulator('POST', `/phones/${phone.id}/activities/${id}/rotate`);
    await patch(person, id, 0.5);
    await until(
      () => read(person, id),
      ({ readiness }) => readiness.awaitingUpdateToken === 1,
    );
    expect(await read(person, id)).toMatchObject({ status: 'active', failed: 0 });
    await register(phone, id);
    await shows(phone, id, 2);
    growing(await house.received(phone));
  });
});

describe('a provider with an outage', () => {
  it('gets a retry at the requested time, with the newest change', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    const { id } = (await start(person)).activity;
    await isReady(person, id, 1);
    await house.received(phone);
    await fault(phone, { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 120 }, 1);
    expect(await patch(person, id, 0.2, { priority: 'high' })).toMatchObject({ failed: 0 });
    const pushes: ReceivedPush[] = [];
    await until(
      async () => pushes.push(...(await house.received(phone))),
      (count) => count > 0,
    );
    expect(told(pushes)).toEqual(['update 2 429']);
    expect(await patch(person, id, 0.3)).toMatchObject({ queued: 1 });
    expect(await patch(person, id, 0.4)).toMatchObject({ queued: 1, superseded: 1 });
    await house.advance(121);
    await shows(phone, id, 4);
    pushes.push(...(await house.received(phone)));
    growing(pushes);
    expect(told(pushes)).toEqual(['update 2 429', 'update 2', 'update 4']);
    expect(await read(person, id)).toMatchObject({ status: 'active', failed: 0 });
  });

  it('whose answer is lost gets the same push again, and nothing older', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    const { id } = (await start(person)).activity;
    await isReady(person, id, 1);
    await house.received(phone);
    await fault(phone, { cut: 'after' }, 1);
    await patch(person, id, 0.2, { priority: 'high' });
    await shows(phone, id, 2);
    await finish(person, id);
    await house.advance(5);
    await until(
      () => shownOn(phone, id),
      ({ state }) => state === 'ended',
    );
    growing((await house.received(phone)).slice(1));
  });
});

describe('starts on one phone', () => {
  it('are sent one every two seconds, at the announced times', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('android');
    const answers = [await start(person), await start(person), await start(person)];
    const ids = answers.map(({ activity }) => activity.id as string);
    const { readiness, createdAt } = answers[2].activity;
    expect(answers[2]).toMatchObject({ queued: 1, accepted: 0 });
    expect(readiness).toMatchObject({ queuedStarts: 1, ready: 0 });
    const turn = Date.parse(readiness.nextStartAt);
    const wait = turn - Date.parse(createdAt);
    expect(wait).toBeGreaterThan(1_000);
    expect(wait).toBeLessThanOrEqual(4_000);
    for (const id of ids) await shows(phone, id, 1);
    const times = (await house.received(phone)).map(({ payload }) => Date.parse(payload.data.sentAt));
    expect(times).toHaveLength(3);
    // Each start may be late, but never before its turn.
    expect(times[1]).toBeGreaterThanOrEqual(turn - 2_000);
    expect(times[2]).toBeGreaterThanOrEqual(turn);
  });

  it('whose activity has ended before their turn never reach it', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('android');
    const first = (await start(person)).activity;
    const { id } = (await start(person)).activity;
    const last = (await start(person)).activity;
    // An answer waits a second for the report of push, which has caught up by then.
    await shows(phone, first.id, 1);
    const ended = await finish(person, last.id);
    expect(ended).toMatchObject({ activity: { status: 'ended' }, queued: 0, superseded: 1 });
    await shows(phone, id, 1);
    await house.advance(10);
    expect(await shownOn(phone, last.id)).toBeUndefined();
  });
});

describe('a phone that leaves', () => {
  it('shows no activities of the account any more, and the other phones continue', async () => {
    const person = await house.anotherAccount();
    const phones = [await person.addPhone('ios'), await person.addPhone('android')] as const;
    const kept = await person.addPhone('android');
    const { id } = (await start(person)).activity;
    await isReady(person, id, 3);
    for (const { deviceId } of phones) await person.api('DELETE', `/devices/${deviceId}`);
    for (const phone of phones)
      await until(
        () => shownOn(phone, id),
        ({ state }) => state === 'dismissed',
      );
    await patch(person, id, 0.5);
    await shows(kept, id, 2);
    expect(
      await until(
        () => read(person, id),
        ({ failed, accepted }) => failed === 2 && accepted === 1,
      ),
    ).toMatchObject({ status: 'partial' });
  });

  it('by switching live activities off gets no more pushes', async () => {
    const person = await house.anotherAccount();
    const phone = await person.addPhone('ios');
    const kept = await person.addPhone('android');
    const { id } = (await start(person)).activity;
    await isReady(person, id, 2);
    await set(phone, { liveActivities: false });
    await until(
      async () => (await person.api('GET', '/devices')).body.devices,
      (devices) => devices.some((each: any) => each.id === phone.deviceId && !each.liveActivitiesCapable),
    );
    await house.received(phone);
    await patch(person, id, 0.5);
    await shows(kept, id, 2);
    await until(
      () => read(person, id),
      ({ failed }) => failed === 1,
    );
    expect(told(await house.received(phone))).toEqual([]);
  });
});

it('an activity that failed on every phone is not started again, and uses no capacity there', async () => {
  const person = await house.anotherAccount();
  const phone = await person.addPhone('ios');
  const switchTo = async (isOn: boolean) => {
    await set(phone, { liveActivities: isOn });
    await until(
      async () => (await person.api('GET', '/devices')).body.devices,
      ([device]) => device.liveActivitiesCapable === isOn,
    );
  };
  const { id } = (await start(person)).activity;
  await isReady(person, id, 1);
  await switchTo(false);
  await patch(person, id, 0.5);
  const newest = async () => (await person.api('GET', '/activity-feed')).body.items[0];
  await until(newest, ({ result }) => result === 'failed');
  expect(await read(person, id)).toMatchObject({ status: 'failed', sequence: 2 });
  await switchTo(true);
  const others: string[] = [];
  for (let n = 0; n < 5; n += 1) others.push((await start(person)).activity.id);
  for (const other of others) await shows(phone, other, 1);
  expect((await shownOn(phone, id)).state).not.toBe('active');
});

describe('a prompt', () => {
  it('has buttons where the app supports them, and otherwise opens the app', async () => {
    const person = await house.anotherAccount();
    const plain = await person.addPhone('ios');
    const phones = [
      await person.addPhone('ios', { liveActivities: true, interactiveLiveActivities: true }),
      await person.addPhone('android'),
    ];
    const { interaction, liveActivityId: id } = (
      await person.api('POST', '/interactions', {
        body: {
          title: 'Where?',
          prompt: 'Where to?',
          kind: 'reply',
          choices: ['Here', 'There'],
          presentation: 'live_activity',
        },
      })
    ).body;
    for (const phone of phones)
      expect((await shows(phone, id, 1)).contentState.prompt).toMatchObject({
        id: interaction.id,
        actions: [
          { id: 'Here', label: 'Here' },
          { id: 'There', label: 'There' },
        ],
      });
    expect((await shows(plain, id, 1)).contentState).toMatchObject({
      prompt: null,
      url: `carillon://prompts/${interaction.id}`,
    });
    await house.simulator('POST', `/phones/${phones[0]!.id}/press`, {
      promptId: interaction.id,
      answer: 'There',
    });
    for (const phone of [plain, ...phones])
      await until(
        () => shownOn(phone, id),
        ({ state, contentState }) => state !== 'active' && contentState.prompt === null,
      );
  });
});
