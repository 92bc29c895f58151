import { type House, type HousePhone, type ReceivedPush, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    limits: 'off',
  });
  // How many pushes it takes depends on how many changes a newer one overtakes.
  house.ignorePushes();
}, 120_000);
afterAll(() => house?.close(), 90_000);

/** Polls until the condition holds, and reports the last value on failure. */
async function until<Seen>(look: () => Promise<Seen>, isSo: (seen: Seen) => boolean): Promise<Seen> {
  for (const deadline = Date.now() + 60_000; ;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`It stayed so: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const shownOn = async ({ id }: HousePhone, activityId: string): Promise<any> =>
  (await house.simulator('GET', `/phones/${id}`)).body.phone.activities.find(
    (each: any) => each.activityId === activityId,
  );
const sequenceOf = ({ payload }: ReceivedPush): number =>
  Number(payload.aps ? payload.aps['content-state'].sequence : payload.data.seq);

it('both phones finally show the newest change, however often the server is killed', async () => {
  // The account is fetched again each time: the server keeps it, and this test does not.
  const { id } = (
    await house.api('POST', '/activities', { body: { props: { title: 'Deploy', layout: 'ring' } } })
  ).body.activity;
  const read = async () => (await house.api('GET', `/activities/${id}`)).body.activity;
  await until(read, ({ readiness }) => readiness.ready === 2);
  const phones = [house.phones.ios, house.phones.android];
  const pushes: ReceivedPush[][] = phones.map(() => []);
  // The simulator stops with the server and loses its records.
  const look = async (): Promise<void> => {
    for (const [index, phone] of phones.entries()) pushes[index]!.push(...(await house.received(phone)));
  };
  let acknowledged = 1;
  for (let round = 1; round <= 2; round += 1) {
    let isKilled = false;
    const changing = (async () => {
      for (let step = 0; !isKilled; step += 1) {
        try {
          const { status, body } = await house.api('PATCH', `/activities/${id}`, {
            body: { props: { progress: (step % 100) / 100 }, priority: step % 5 === 0 ? 'high' : 'normal' },
          });
          if (status === 200) acknowledged = body.activity.sequence;
        } catch {
          // The server was killed during the wait.
          return;
        }
      }
    })();
    await until(
      async () => acknowledged,
      (reached) => reached > round * 20,
    );
    await look();
    await house.kill9();
    isKilled = true;
    await changing;
    await house.start();
  }
  const { sequence } = await read();
  // All acknowledged changes are there, and perhaps one more whose answer was lost.
  expect(sequence - acknowledged).toBeGreaterThanOrEqual(0);
  expect(sequence - acknowledged).toBeLessThanOrEqual(1);
  for (const phone of phones)
    await until(
      () => shownOn(phone, id),
      (seen) => seen?.sequence === sequence,
    );
  const counted = await until(read, ({ accepted }) => accepted === 2);
  expect(counted).toMatchObject({ status: 'active', failed: 0 });
  expect((await house.api('POST', `/activities/${id}/end`, { body: {} })).status).toBe(200);
  for (const phone of phones)
    await until(
      () => shownOn(phone, id),
      ({ state }) => state === 'ended',
    );
  await look();
  for (const each of pushes) {
    const accepted = each.filter(({ verdict }) => verdict.status === 200);
    const sequences = accepted.map(sequenceOf);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(sequences.at(-1)).toBe(sequence + 1);
    const stamps = accepted.flatMap(({ payload }) => payload.aps?.timestamp ?? []);
    expect(stamps).toEqual([...new Set(stamps)].sort((a, b) => a - b));
  }
}, 240_000);
