import { type Abilities, obstacleOf, refusalOf } from './obstacle';

const able: Abilities = {
  isSecure: true,
  hasWorker: true,
  hasPush: true,
  hasNotifications: true,
  isApplePhone: false,
  isOnHomeScreen: false,
  permission: 'default',
};

describe('a browser that cannot ring says why', () => {
  it.each<[string, Partial<Abilities>]>([
    ['HTTPS', { isSecure: false, hasWorker: false }],
    ['home screen', { isApplePhone: true, hasPush: false }],
    ['too old', { hasPush: false }],
    ['too old', { hasWorker: false }],
    ['blocked', { permission: 'denied' }],
  ])('%s', (words, lacks) => expect(obstacleOf({ ...able, ...lacks })).toContain(words));

  it('and one that can says nothing', () => {
    expect(obstacleOf(able)).toBeUndefined();
    expect(obstacleOf({ ...able, isApplePhone: true, isOnHomeScreen: true })).toBeUndefined();
  });

  it('also when it refuses to subscribe', () => {
    const named = (name: string): Error => Object.assign(new Error(''), { name });
    expect(refusalOf(named('NotAllowedError'))).toContain('not allowed');
    expect(refusalOf(named('AbortError'))).toContain('push service');
    expect(refusalOf('nonsense')).toContain('private window');
  });
});
