import { alertOf } from './alert';

describe('what an event says', () => {
  const from = { oncallGroupId: 'ocg_1', oncallFrom: 'error' } as const;
  const firing = { state: 'firing', dedupKey: 'disk', severity: 'error' } as const;

  it('pages the group from the severity of its service on, and when the severity is not known', () => {
    const pages = (severity: 'info' | 'warning' | 'error' | 'critical' | null) =>
      alertOf(from, { ...firing, severity })?.oncallGroupId;
    expect([pages('info'), pages('warning')]).toEqual([undefined, undefined]);
    expect([pages('error'), pages('critical'), pages(null)]).toEqual(['ocg_1', 'ocg_1', 'ocg_1']);
  });
  it('pages nobody when it is over, or without a group', () => {
    expect(alertOf(from, { ...firing, state: 'resolved' })).toEqual({
      state: 'resolved',
      dedupKey: 'disk',
      severity: 'error',
    });
    expect(alertOf({ ...from, oncallGroupId: null }, firing)).toEqual(firing);
  });
  it('is nothing when nothing is wrong or over', () =>
    expect(alertOf(from, { state: 'none', dedupKey: null, severity: null })).toBeUndefined());
});
