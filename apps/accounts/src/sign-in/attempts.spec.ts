import type { RateGrant } from '@carillon/contracts';
import type { Refused } from '@carillon/eventing';
import { insistOnGrants, takesOf } from './attempts';

describe('attempts to sign in', () => {
  const attempt = { emailKey: 'e', network: '192.0.2.1', site: '192.0.2.1', knownNetwork: undefined };

  it('are counted by address and by network', () =>
    expect(takesOf(attempt).map(({ key, limit, windowSeconds }) => [key, limit, windowSeconds])).toEqual([
      ['sign-in:e', 10, 900],
      ['sign-in:192.0.2.1', 30, 900],
    ]));
  it('are counted by the larger network of IPv6, too', () =>
    expect(
      takesOf({ ...attempt, network: '2001:db8:0:7', site: '2001:db8:0' })
        .slice(1)
        .map(({ key, limit }) => [key, limit]),
    ).toEqual([
      ['sign-in:2001:db8:0:7', 30],
      ['sign-in:2001:db8:0', 120],
    ]));
  it('are counted apart where the person has signed in before, so that strangers cannot lock anybody out', () =>
    expect(takesOf({ ...attempt, knownNetwork: 'p' })[0]?.key).toBe('sign-in:e:p'));
  it('wait for the later of the two limits', () => {
    const takes = takesOf(attempt);
    const full = { granted: 0, remaining: 0, resetSeconds: 40 };
    const fits = { granted: 1, remaining: 3, resetSeconds: 900 };
    const refusal = (grants: RateGrant[]): unknown => {
      try {
        insistOnGrants(takes, grants);
      } catch (error) {
        return (error as Refused).details;
      }
      return 'none';
    };
    expect(refusal([fits, fits])).toBe('none');
    expect(refusal([full, { ...full, resetSeconds: 70 }])).toEqual({ retryAfter: 70, limit: 30 });
    expect(refusal([full, fits])).toEqual({ retryAfter: 40, limit: 10 });
  });
});
