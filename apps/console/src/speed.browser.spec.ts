import { measuredSpeed } from './testbed';

// A test of time, as there is nowhere else: these limits are promised.
it('the inbox, an answer and an event are there as soon as is promised', async () => {
  const { fresh, again, waitMs, shownMs } = await measuredSpeed({ rounds: 25, events: 200 });
  // Times of a bare page with one fetch.
  expect(fresh).toBeLessThanOrEqual(3);
  expect(again).toBeLessThanOrEqual(3);
  expect(waitMs).toBeLessThanOrEqual(1_000);
  expect(shownMs).toBeLessThanOrEqual(300);
}, 420_000);
