import { howFar } from './unready';

describe('rows that are made from the log', () => {
  const reason = 'has not caught up with the log yet';

  it('are told by the projection that is furthest behind', () => {
    expect(
      howFar([
        { service: 'push', projection: 'devices', reason, percent: 70, events: 7_000, secondsLeft: 2 },
        { service: 'read-models', projection: 'inbox', reason, percent: 43, events: 4_300, secondsLeft: 5 },
      ]),
    ).toBe('made from the log: 43 % (4,300 events), about 5 s left; read-models inbox is last of 2');
  });

  it('are told without the time while nobody can know it', () => {
    expect(howFar([{ service: 'push', projection: 'devices', reason, percent: 0, events: 0 }])).toBe(
      'made from the log: 0 % (0 events); push devices is last of 1',
    );
  });

  it('are not what is waited for when a service is missing', () => {
    expect(howFar([{ service: 'push', reason: 'does not run' }])).toBeUndefined();
  });
});
