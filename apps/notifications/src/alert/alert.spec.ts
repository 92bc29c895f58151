import type { ServicePaged, ServicePageResolved } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { alertOf, notePage, noteResolved, servicePage } from './alert';

const named = { eventId: 'evt_1', accountId: 'usr_1', serviceId: 'svc_1', pageId: 'page_1' };
const pagedAt = '2026-11-20T09:00:00.000Z';
const paged: ServicePaged = { type: 'ServicePaged', ...named, pagedAt };
const resolved: ServicePageResolved = { type: 'ServicePageResolved', ...named, resolvedAt: pagedAt };

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

describe('what was done about the page of an event', () => {
  it('is noted', () => {
    given(servicePage)
      .when(notePage({ ...named, pagedAt }))
      .then(paged);
    given(servicePage)
      .when(noteResolved({ ...named, resolvedAt: pagedAt }))
      .then(resolved);
  });
  it('is noted once', () => {
    given(servicePage, paged)
      .when(notePage({ ...named, pageId: 'page_2', pagedAt }))
      .thenNothing();
    given(servicePage, resolved)
      .when(noteResolved({ ...named, resolvedAt: pagedAt }))
      .thenNothing();
  });
});
