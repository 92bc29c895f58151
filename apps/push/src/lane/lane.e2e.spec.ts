import { type House, startHouse } from '@carillon/testkit';

let house: House;
beforeAll(async () => {
  house = await startHouse({
    env: {
      CARILLON_ACCOUNT_PER_MINUTE: '100000',
      CARILLON_TOKEN_REQUESTS_PER_MINUTE: '100000',
      CARILLON_ACCOUNT_REQUESTS_PER_MINUTE: '100000',
      CARILLON_AUTH_FAILURES_PER_MINUTE: '100000',
    },
  });
}, 120_000);
afterAll(() => house.close(), 90_000);

describe('a live activity', () => {
  it('starts, moves and ends on both phones', async () => {
    const started = await house.api('POST', '/activities', {
      body: { key: 'deploy', props: { title: 'Deploy', layout: 'ring', progress: 0 } },
    });
    console.log(JSON.stringify(started.body));
    expect(started).toMatchObject({ status: 201 });
    for (let step = 1; step <= 20; step += 1) {
      const moved = await house.api('PATCH', '/activities/deploy', {
        body: { props: { progress: step / 20 } },
      });
      console.log(JSON.stringify({ ...moved.body, activity: { ...moved.body.activity, props: 0 } }));
    }
    await new Promise((r) => setTimeout(r, 4000));
    const ended = await house.api('POST', '/activities/deploy/end', { body: {} });
    console.log(JSON.stringify(ended.body));
    await new Promise((r) => setTimeout(r, 3000));
    for (const phone of [house.phones.ios, house.phones.android]) {
      for (const { at, headers, payload, verdict, shown, why } of await house.received(phone))
        console.log(JSON.stringify({ at, p: headers['apns-priority'], payload, verdict, shown, why }));
      console.log(
        JSON.stringify((await house.simulator('GET', `/phones/${phone.id}`)).body.phone.activities),
      );
    }
    console.log(JSON.stringify((await house.api('GET', '/activities/deploy')).body));
  });
});
