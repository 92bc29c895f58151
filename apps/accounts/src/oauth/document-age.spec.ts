import { keptSeconds } from './document-age';

const now = Date.UTC(2026, 10, 26, 12);

describe('a metadata document is kept', () => {
  it.each<[string, string | undefined, string | undefined, number]>([
    ['for five minutes when nothing is said', undefined, undefined, 300],
    ['as long as max-age says', 'public, max-age=60', undefined, 60],
    ['for a day at most', 'max-age=999999999', undefined, 86_400],
    ['not at all when it must not be stored', 'no-store, max-age=60', undefined, 0],
    ['not at all when it must be asked for again', 'no-cache', undefined, 0],
    ['until Expires', undefined, 'Thu, 26 Nov 2026 12:10:00 GMT', 600],
    ['by max-age rather than by Expires', 'max-age=60', 'Thu, 26 Nov 2026 12:10:00 GMT', 60],
    ['not at all when Expires is over', undefined, 'Thu, 26 Nov 2026 11:00:00 GMT', 0],
    ['not at all when Expires is no date', undefined, '0', 0],
    ['as if nothing was said for a max-age that is no number', 'max-age=x', undefined, 300],
  ])('%s', (_, cacheControl, expires, seconds) =>
    expect(keptSeconds(cacheControl, expires, now)).toBe(seconds),
  );
});
