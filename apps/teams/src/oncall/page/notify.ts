import type { PageNotified } from '@carillon/contracts';
import { type Instant, plus } from '@carillon/eventing';
import { namesOf, type OncallPageFacts } from './page';
import { alsoTo, personPaged, type Roster, whom } from './roster';

type Notified = Pick<
  OncallPageFacts,
  | 'pageId'
  | 'groupId'
  | 'teamId'
  | 'groupName'
  | 'title'
  | 'body'
  | 'url'
  | 'appId'
  | 'escalation'
  | 'notified'
>;

export interface Notifying {
  /** The number of the step; 0 notifies the member on call. */
  readonly step: number;
  readonly roster: Roster;
  readonly at: Instant;
  readonly by?: string;
  readonly requestId?: string;
}

const minuteMs = 60_000;

/** Runs a step of the page, and the following ones until a step reaches a device. */
export function notify(of: Notified, { step, roster, at, by, requestId }: Notifying): PageNotified[] {
  const target = step === 0 ? 'current' : (of.escalation[step - 1]?.target ?? 'group');
  const people = whom(target, roster, of.notified).map((accountId) =>
    personPaged(accountId, { ...roster, pageId: of.pageId, step, at }),
  );
  const next = of.escalation[step];
  const reachesNobody = people.every(({ deviceIds }) => deviceIds.length === 0);
  const event: PageNotified = {
    type: 'PageNotified',
    ...namesOf(of),
    step,
    by: by ?? null,
    target,
    people,
    groupName: of.groupName,
    title: of.title,
    body: of.body,
    url: of.url,
    ...(of.appId !== null && { appId: of.appId }),
    ...(requestId !== undefined && { requestId }),
    notifiedAt: at,
    nextEscalationAt: next ? plus(at, reachesNobody ? 0 : next.afterMinutes * minuteMs) : null,
  };
  if (!reachesNobody || !next) return [event];
  const notified = alsoTo(of.notified, people);
  return [event, ...notify({ ...of, notified }, { step: step + 1, roster, at })];
}
