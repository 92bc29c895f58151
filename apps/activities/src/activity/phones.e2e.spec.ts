import { type House, type HouseAccount, type HousePhone, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  // How many pushes it takes depends on how many updates a newer one overtakes; what the phones show does not.
  house.ignorePushes();
}, 120_000);
afterAll(() => house?.close(), 90_000);

interface OnPhone {
  readonly activityId: string;
  readonly state: 'active' | 'stale' | 'ended' | 'dismissed';
  readonly contentState: Record<string, unknown> & { readonly sequence: number };
}
interface Who {
  readonly person: HouseAccount;
  readonly ios: HousePhone;
  readonly android: HousePhone;
}
const someone = async (): Promise<Who> => {
  const person = await house.anotherAccount();
  return {
    person,
    ios: await person.addPhone('ios', { liveActivities: true, interactiveLiveActivities: true }),
    android: await person.addPhone('android'),
  };
};
const start = (person: HouseAccount, more: object = {}) =>
  person.api('POST', '/activities', { body: { props: { title: 'Build' }, ...more } });
const read = async (person: HouseAccount, identifier: string) =>
  (await person.api('GET', `/activities/${identifier}`)).body.activity;
const activitiesOn = async ({ id }: HousePhone): Promise<OnPhone[]> =>
  (await house.simulator('GET', `/phones/${id}`)).body.phone.activities;
const shownOn = async (phone: HousePhone, activityId: string): Promise<OnPhone | undefined> =>
  (await activitiesOn(phone)).find((each) => each.activityId === activityId);

/** Polls until the condition holds, and reports the last value on failure. */
async function eventually<Seen>(look: () => Promise<Seen>, isSo: (seen: Seen) => boolean): Promise<Seen> {
  for (const deadline = Date.now() + 30_000; ;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`It stayed so: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const shows = (phone: HousePhone, activityId: string, sequence: number): Promise<OnPhone | undefined> =>
  eventually(
    () => shownOn(phone, activityId),
    (seen) => seen?.contentState.sequence === sequence,
  );
const isGone = (phone: HousePhone, activityId: string): Promise<OnPhone | undefined> =>
  eventually(
    () => shownOn(phone, activityId),
    (seen) => seen === undefined || seen.state === 'dismissed',
  );
const stands = (person: HouseAccount, identifier: string, status: string) =>
  eventually(
    () => read(person, identifier),
    (seen) => seen?.status === status,
  );

it('an activity moves a ring by twenty changes on both phones, and is removed at its end', async () => {
  const { person, ios, android } = await someone();
  const { id } = (
    await start(person, { key: 'build', props: { title: 'Build', layout: 'ring', progress: 0 } })
  ).body.activity;
  for (const phone of [ios, android])
    expect(await shows(phone, id, 1)).toMatchObject({
      state: 'active',
      contentState: { title: 'Build', layout: 'ring', progress: 0 },
    });
  expect(await stands(person, 'build', 'active')).toMatchObject({ accepted: 2, failed: 0 });
  await eventually(
    () => read(person, 'build'),
    ({ readiness }) => readiness.ready === 2 && readiness.queuedStarts === 0,
  );

  let superseded = 0;
  for (let step = 1; step <= 20; step += 1) {
    const { body } = await person.api('PATCH', '/activities/build', {
      body: { props: { progress: step / 20 } },
    });
    expect(body).toMatchObject({ priorityReason: 'routine', activity: { sequence: step + 1 } });
    superseded += body.superseded ?? 0;
  }
  for (const phone of [ios, android])
    expect((await shows(phone, id, 21))?.contentState).toMatchObject({ progress: 1 });
  expect(
    await eventually(
      () => read(person, 'build'),
      ({ accepted }) => accepted === 2,
    ),
  ).toMatchObject({ status: 'active', sequence: 21, failed: 0 });
  // Both devices received each of the twenty changes, or a newer one instead.
  expect(superseded).toBeLessThan(40);

  const ended = await person.api('POST', '/activities/build/end', {
    body: { props: { status: 'Done' }, dismissAfterSeconds: 0 },
  });
  expect(ended).toMatchObject({
    status: 200,
    body: { activity: { status: 'ended' }, priorityReason: 'end' },
  });
  for (const phone of [ios, android]) await isGone(phone, id);
  expect(
    await eventually(
      () => read(person, id),
      ({ accepted }) => accepted === 2,
    ),
  ).toMatchObject({ status: 'ended', failed: 0 });
});

it('a replaced activity gives way to its replacement on the phones', async () => {
  const { person, ios, android } = await someone();
  const first = (await start(person, { key: 'build' })).body.activity.id;
  for (const phone of [ios, android]) await shows(phone, first, 1);
  const second = (await start(person, { key: 'build', replace: true, props: { title: 'Again' } })).body
    .activity.id;
  await house.advance(3);
  for (const phone of [ios, android]) {
    expect((await shows(phone, second, 1))?.contentState).toMatchObject({ title: 'Again' });
    await isGone(phone, first);
  }
});

it('an activity is removed from the phones at its deadline', async () => {
  const { person, ios, android } = await someone();
  const { id } = (await start(person, { expiresInSeconds: 60 })).body.activity;
  for (const phone of [ios, android]) await shows(phone, id, 1);
  await stands(person, id, 'active');
  await house.advance(61);
  expect(await read(person, id)).toMatchObject({ status: 'expired' });
  for (const phone of [ios, android]) await isGone(phone, id);
});

it('an activity is partial while one phone is gone, and failed with the last one, which frees its key', async () => {
  const person = await house.anotherAccount();
  const phones = [await person.addPhone('android'), await person.addPhone('android')] as const;
  const { id } = (await start(person, { key: 'build' })).body.activity;
  for (const phone of phones) await shows(phone, id, 1);
  await stands(person, id, 'active');
  for (const [phone, status] of [
    [phones[0], 'partial'],
    [phones[1], 'failed'],
  ] as const) {
    await house.simulator('POST', `/phones/${phone.id}/uninstall`);
    await person.api('PATCH', '/activities/build', { body: { props: { status } } });
    await stands(person, id, status);
  }
  const late = await person.api('PATCH', `/activities/${id}`, { body: { props: { progress: 0.7 } } });
  expect(late).toMatchObject({ status: 409, body: { code: 'ACTIVITY_NOT_RUNNING', status: 'failed' } });
  const other = await person.addPhone('android');
  await eventually(
    () => start(person, { key: 'build', deviceIds: [other.deviceId] }),
    ({ status }) => status === 201,
  );
});

describe('a prompt as a live activity', () => {
  const ask = (person: HouseAccount, more: object = {}) =>
    person.api('POST', '/interactions', {
      body: {
        kind: 'approval',
        title: 'Deploy?',
        prompt: 'Version 3 is ready.',
        primaryLabel: 'Ship it',
        presentation: 'live_activity',
        ...more,
      },
    });

  it('is answered by its button, which removes it from both phones', async () => {
    const { person, ios, android } = await someone();
    const asked = await ask(person);
    expect(asked).toMatchObject({ status: 201, body: { accepted: 0, queued: 2 } });
    const { liveActivityId, interaction } = asked.body;
    for (const phone of [ios, android])
      expect((await shows(phone, liveActivityId, 1))?.contentState).toMatchObject({
        title: 'Deploy?',
        prompt: { id: interaction.id, kind: 'approval', actionDigest: interaction.actionDigest },
      });
    await eventually(
      async () => (await person.api('GET', `/interactions/${interaction.id}`)).body.interaction.accepted,
      (accepted) => accepted === 2,
    );
    const pressed = await house.simulator('POST', `/phones/${ios.id}/press`, {
      promptId: interaction.id,
      answer: 'approved',
    });
    expect(pressed.body).toMatchObject({ status: 200, body: { interaction: { status: 'approved' } } });
    await stands(person, liveActivityId, 'ended');
    for (const phone of [ios, android]) await isGone(phone, liveActivityId);
  });

  it('is removed from the phones when it expires unanswered', async () => {
    const { person, ios, android } = await someone();
    const { liveActivityId, interaction } = (await ask(person, { expiresInSeconds: 60 })).body;
    for (const phone of [ios, android]) await shows(phone, liveActivityId, 1);
    await house.advance(61);
    await stands(person, liveActivityId, 'expired');
    expect((await person.api('GET', `/interactions/${interaction.id}`)).body.interaction.status).toBe(
      'expired',
    );
    for (const phone of [ios, android]) await isGone(phone, liveActivityId);
  });
});
