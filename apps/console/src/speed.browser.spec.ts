import { measuredSpeed } from './testbed';

// A test of time, as there is nowhere else: these limits are promised.
it('an answer ends the wait of the agent within a second, an event is on the screen within 300 ms', async () => {
  const { waitMs, shownMs } = await measuredSpeed({ rounds: 0, events: 200 });
  expect(waitMs).toBeLessThanOrEqual(1_000);
  expect(shownMs).toBeLessThanOrEqual(300);
}, 420_000);
