import { eventually, type House, type HouseAccount, type HousePhone, startHouse } from '@carillon/testkit';

let house: House;
let person: HouseAccount;
let phone: HousePhone;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  // What its phones show is told with the lanes; here it is about the prompt.
  house.ignorePushes();
  person = await house.anotherAccount();
  phone = await person.addPhone('ios', { liveActivities: true, interactiveLiveActivities: true });
}, 120_000);
afterAll(() => house?.close(), 90_000);

const deploy = { title: 'Deploy', prompt: 'Ship it?', kind: 'approval', presentation: 'live_activity' };
const post = (more: object = {}, by = person, headers: Record<string, string> = {}) =>
  by.api('POST', '/interactions', { body: { ...deploy, ...more }, headers });
const activity = async (id: string) => (await person.api('GET', `/activities/${id}`)).body.activity;
const hasEnded = (id: string, status = 'ended') =>
  eventually(
    async () => ((await activity(id))?.status === status ? true : undefined),
    () => `the activity is not ${status}`,
    30_000,
  );
const cancel = (id: string) => person.api('POST', `/interactions/${id}/cancel`);

describe('a prompt that is shown as a live activity', () => {
  it('is answered at once with the queued starts, starts its activity, and ends it with the answer', async () => {
    const { status, body } = await post({ primaryLabel: 'Ship' });
    expect(status).toBe(201);
    const { interaction, ...rest } = body;
    expect(rest).toEqual({ accepted: 0, queued: 1, liveActivityId: expect.stringMatching(/^act_/) });
    expect(interaction).toMatchObject({ presentation: 'live_activity', status: 'pending', accepted: 0 });
    const started = await eventually(
      () => activity(rest.liveActivityId),
      () => 'the activity did not start',
      30_000,
    );
    expect(started.props.interaction).toEqual({
      id: interaction.id,
      kind: 'approval',
      primaryLabel: 'Ship',
      secondaryLabel: null,
    });
    const { id, actionDigest } = interaction;
    const waiting = person.api('GET', `/interactions/${id}/wait?timeoutSeconds=55`);
    const answer = { answer: 'approved', actionDigest, deviceId: phone.deviceId };
    expect((await person.session('POST', `/prompts/${id}/answer`, { body: answer })).status).toBe(200);
    expect((await waiting).body).toMatchObject({ timedOut: false, interaction: { status: 'approved' } });
    await hasEnded(rest.liveActivityId);
  });

  it.each(['canceled', 'expired'])('ends its activity when it is %s', async (how) => {
    const { interaction, liveActivityId } = (await post({ expiresInSeconds: 60 })).body;
    await eventually(
      () => activity(liveActivityId),
      () => 'the activity did not start',
      30_000,
    );
    if (how === 'canceled') await cancel(interaction.id);
    else await house.advance(61);
    expect((await person.api('GET', `/interactions/${interaction.id}`)).body.interaction.status).toBe(how);
    await eventually(
      async () => (['ended', 'expired'].includes((await activity(liveActivityId)).status) ? true : undefined),
      () => 'the activity has not ended',
      30_000,
    );
  });

  it('is asked once under one key', async () => {
    const headers = { 'idempotency-key': 'live' };
    const first = await post({}, person, headers);
    const again = await post({}, person, headers);
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 200, body: { ...first.body, idempotent: true } });
    await cancel(first.body.interaction.id);
  });

  it('is not asked without a device that can show it', async () => {
    const nobody = await house.anotherAccount();
    expect(await post({}, nobody)).toMatchObject({ status: 422, body: { code: 'NO_ELIGIBLE_DEVICES' } });
    const old = await nobody.addPhone('ios', { liveActivities: false });
    expect(await post({}, nobody)).toMatchObject({ status: 422, body: { code: 'NO_ELIGIBLE_DEVICES' } });
    expect(await post({ deviceIds: [phone.deviceId] }, nobody)).toMatchObject({
      status: 404,
      body: { code: 'DEVICE_NOT_FOUND' },
    });
    expect(await post({ deviceIds: [old.deviceId] }, nobody)).toMatchObject({
      status: 422,
      body: { code: 'NO_ELIGIBLE_DEVICES' },
    });
    expect((await nobody.session('GET', '/prompts')).body.interactions).toEqual([]);
  });

  it('uses one of the five activities of a device, and releases it', async () => {
    const made: { interaction: { id: string }; liveActivityId: string }[] = [];
    for (let n = 0; n < 5; n += 1) {
      const answer = await post({ title: `n${n}` });
      expect(answer.status).toBe(201);
      made.push(answer.body);
    }
    const full = {
      status: 422,
      body: { code: 'ACTIVITY_CAPACITY_EXCEEDED', limit: 5, deviceIds: [phone.deviceId] },
    };
    expect(await post()).toMatchObject(full);
    expect(await person.api('POST', '/activities', { body: { props: { title: 'x' } } })).toMatchObject(full);
    await cancel(made[0]!.interaction.id);
    await eventually(
      async () => {
        const answer = await post({ title: 'again' });
        if (answer.status === 201) made.push(answer.body);
        return answer.status === 201 ? true : undefined;
      },
      () => 'the capacity of the board is not free',
      30_000,
    );
    for (const { interaction } of made) await cancel(interaction.id);
    for (const { liveActivityId } of made) await hasEnded(liveActivityId);
  });
});
