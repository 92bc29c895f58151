import { measuredSpeed } from './testbed';

it('the inbox shows its first item within three times a bare page with one fetch', async () => {
  const { fresh, again } = await measuredSpeed({ rounds: 15, events: 1 });
  expect(fresh).toBeLessThanOrEqual(3);
  expect(again).toBeLessThanOrEqual(3);
}, 420_000);
