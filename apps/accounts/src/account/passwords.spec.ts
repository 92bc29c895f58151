import { setTimeout as pause } from 'node:timers/promises';
import { Passwords } from './passwords';

const wanted = (): boolean => true;

describe('a flood of sign-ups', () => {
  it('does not take the permits that sign-ins need', async () => {
    const passwords = new Passwords();
    const known = await passwords.hash('correct horse battery', wanted);
    let isWanted = true;
    let made = 0;
    const flood = Array.from({ length: 50 }, (_, n) =>
      passwords
        .hash(`password ${n} of the flood`, () => isWanted)
        .then(
          () => (made += 1),
          () => {},
        ),
    );
    expect(await passwords.matches(known, 'correct horse battery', wanted)).toBe(true);
    expect(made).toBeLessThan(25);
    isWanted = false;
    await Promise.all(flood);
  });

  it('is refused at once when the queue is full', async () => {
    const passwords = new Passwords();
    let isWanted = true;
    const flood = Array.from({ length: 60 }, () =>
      passwords.hash('password of the flood', () => isWanted).catch((error: Error) => error.message),
    );
    // No caller waits for these any more, so none is hashed.
    isWanted = false;
    await pause(0);
    const answers = await Promise.all(flood);
    expect(answers.filter((answer) => answer === 'password.busy')).toHaveLength(9);
    expect(await passwords.hash('another password', wanted)).toMatch(/^\$argon2id\$/);
  });
});

describe('a password that nobody waits for any more', () => {
  it('is not looked at', async () =>
    expect(new Passwords().matches(null, 'x', () => false)).rejects.toMatchObject({ reason: 'bus.timeout' }));
});
