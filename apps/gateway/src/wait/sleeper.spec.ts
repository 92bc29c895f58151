import { Sleeper } from './sleeper';

const long = 60_000;

describe('a sleeper', () => {
  it('sleeps until its time is over', async () => {
    const from = Date.now();
    await new Sleeper().sleep(30);
    expect(Date.now() - from).toBeGreaterThanOrEqual(25);
  });

  it('is woken', async () => {
    const sleeper = new Sleeper();
    const asleep = sleeper.sleep(long);
    sleeper.wake();
    await asleep;
  });

  it('that was woken before it slept does not sleep', async () => {
    const sleeper = new Sleeper();
    sleeper.wake();
    await sleeper.sleep(long);
  });

  it('sleeps again after it was woken, however often that was', async () => {
    const sleeper = new Sleeper();
    sleeper.wake();
    sleeper.wake();
    await sleeper.sleep(long);
    const from = Date.now();
    await sleeper.sleep(30);
    expect(Date.now() - from).toBeGreaterThanOrEqual(25);
  });

  it('that is over knows the first reason', async () => {
    const sleeper = new Sleeper();
    const asleep = sleeper.sleep(long);
    sleeper.end('TOKEN_REVOKED');
    sleeper.end('closing');
    await asleep;
    expect(sleeper.over).toBe('TOKEN_REVOKED');
  });
});
