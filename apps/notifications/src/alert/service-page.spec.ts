import type { ServicePaged, ServicePageResolved } from '@carillon/contracts';
import { given } from '@carillon/testkit';
import { note, servicePage } from './service-page';

const named = { eventId: 'evt_1', accountId: 'usr_1', serviceId: 'svc_1', pageId: 'page_1' };
const pagedAt = '2026-11-20T09:00:00.000Z';
const paged: ServicePaged = { type: 'ServicePaged', ...named, pagedAt };
const resolved: ServicePageResolved = { type: 'ServicePageResolved', ...named, resolvedAt: pagedAt };

describe('what was done about the page of an event', () => {
  it('is noted', () => {
    given(servicePage).when(note(paged)).then(paged);
    given(servicePage).when(note(resolved)).then(resolved);
  });
  it('is noted once', () => {
    given(servicePage, paged)
      .when(note({ ...paged, pageId: 'page_2' }))
      .thenNothing();
    given(servicePage, resolved).when(note(resolved)).thenNothing();
  });
});
