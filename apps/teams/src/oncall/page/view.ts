import type { AppSummary, OncallPage } from '@carillon/contracts';
import type { PersonNames } from '../../person/people.service';
import type { OncallPageFacts } from './page';

/** All accounts that a page names. */
export const peopleIn = ({ notified, acknowledged, resolved }: OncallPageFacts): readonly string[] => [
  ...notified,
  ...(acknowledged ? [acknowledged.by] : []),
  ...(resolved?.by ? [resolved.by] : []),
];

/** A page as the API shows it. */
export function pageView(
  page: OncallPageFacts,
  personOf: (accountId: string) => PersonNames,
  app: AppSummary | null,
): OncallPage {
  const person = (userId: string) => ({ userId, name: personOf(userId).name, image: null });
  const { acknowledged, resolved } = page;
  return {
    id: page.pageId,
    groupId: page.groupId,
    groupName: page.groupName ?? '',
    teamId: page.teamId,
    title: page.title ?? '',
    body: page.body,
    url: page.url,
    app,
    status: page.status,
    dedupKey: page.dedupKey,
    repeatCount: page.repeatCount,
    notified: page.notified.map(person),
    escalationStep: page.step,
    nextEscalationAt: page.nextEscalationAt,
    acknowledgedBy: acknowledged && person(acknowledged.by),
    acknowledgedAt: acknowledged?.at ?? null,
    resolvedBy: resolved?.by ? person(resolved.by) : null,
    resolvedAt: resolved?.at ?? null,
    source: page.source,
    createdAt: page.createdAt,
  };
}
