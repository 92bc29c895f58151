import { plus } from '@carillon/eventing';
import { failingOn, noticeOf, verdict } from './health';

const failingSince = '2026-11-15T09:00:00.000Z';
const day = 24 * 60 * 60 * 1000;
const after = (ms: number, responseCode: number | null = 500) =>
  verdict({ responseCode, attemptedAt: plus(failingSince, ms), failingSince });

describe('an endpoint', () => {
  it('is given up at once when it says that it is gone', () => expect(after(0, 410)).toBe('gone'));
  it('is given up when nothing got through for five days', () => expect(after(5 * day)).toBe('failing'));
  it('is kept a moment less than that', () => expect(after(5 * day - 1)).toBeNull());
  it('is kept after its first failure', () => expect(after(0, null)).toBeNull());
});

describe('the failures of an endpoint', () => {
  const hour = 60 * 60 * 1000;
  const known = { since: failingSince, lastFailedAt: plus(failingSince, 70 * hour) };
  const next = (hours: number) => failingOn(known, plus(known.lastFailedAt, hours * hour));

  it('begin with the first', () =>
    expect(failingOn(undefined, failingSince)).toEqual({ since: failingSince, lastFailedAt: failingSince }));
  it('go on over the longest pause between two attempts', () =>
    expect(next(26.4)).toEqual({ since: failingSince, lastFailedAt: plus(known.lastFailedAt, 26.4 * hour) }));
  it('start again when nothing was tried for longer', () => {
    const at = plus(known.lastFailedAt, 31 * hour);
    expect(failingOn(known, at)).toEqual({ since: at, lastFailedAt: at });
  });
  it('stay as they are with the same one twice, or an older one after it', () => {
    expect(next(0)).toEqual(known);
    expect(next(-1)).toEqual(known);
  });
});

describe('its owner', () => {
  it('is told which one it is and why', () => {
    expect(noticeOf('gone', 'CI').body).toContain('"CI" says that it is gone (410)');
    expect(noticeOf('failing', 'CI').body).toContain('Every delivery to "CI" has failed for five days');
  });

  it('is told no more than a notification may say', () => {
    const { title, body } = noticeOf('failing', 'x'.repeat(80));
    expect(title.length).toBeLessThanOrEqual(120);
    expect(body.length).toBeLessThanOrEqual(1000);
  });
});
