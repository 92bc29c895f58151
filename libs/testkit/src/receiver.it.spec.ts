import { makeAuthority, Receiver } from './receiver';

it('a receiver got what waited for one that was stopped before it', async () => {
  const authority = await makeAuthority();
  const ports = new Set<number>();
  const count = 400;
  for (let n = 0; n < count; n += 1) {
    const receiver = await Receiver.start(authority);
    ports.add(receiver.port);
    await receiver.stop();
  }
  expect(ports.size).toBe(count);
  authority.remove();
});
