import type {
  EscalationStep,
  PagedPerson,
  PageEvent,
  PageForgotten,
  PageStatus,
  PageTriggered,
} from '@carillon/contracts';
import { type Decider, type Instant, Refused } from '@carillon/eventing';
import { alsoTo } from './roster';

/** Null before the page is triggered, and after it is forgotten. */
export type PageState = OncallPageFacts | null;

export interface OncallPageFacts extends Omit<PageTriggered, 'type' | 'triggeredAt'> {
  readonly status: PageStatus;
  readonly repeatCount: number;
  /** The accounts that were notified, in the order of their first notification. */
  readonly notified: readonly string[];
  readonly escalation: readonly EscalationStep[];
  /** How many steps of its escalation have run. */
  readonly step: number;
  /** The newest step that a person ran by hand; 0 if none. */
  readonly calledFor: number;
  /** The recipients of the newest step. */
  readonly people: readonly PagedPerson[];
  readonly nextEscalationAt: Instant | null;
  readonly acknowledged: { readonly by: string; readonly at: Instant } | null;
  readonly resolved: { readonly by: string | null; readonly at: Instant } | null;
  /** Notified accounts that have left the team since, except those that came back and were notified again. */
  readonly withdrawn: readonly string[];
  /** The ids of the commands whose answer is this page. */
  readonly requests: readonly string[];
  readonly createdAt: Instant;
}

const rememberedRequests = 100;

export const page: Decider<PageState, PageEvent> = {
  category: 'page',
  initial: null,
  evolve(state, event) {
    if (event.type === 'PageTriggered') return begun(event);
    if (event.type === 'PageForgotten') return null;
    return state && evolvePage(state, event);
  },
  personal: {
    PageTriggered: ['groupName', 'title', 'body', 'url', 'dedupKey'],
    PageNotified: ['groupName', 'title', 'body', 'url'],
    PageRepeated: [],
    PageAcknowledged: [],
    PageWithdrawn: [],
    PageResolved: ['note'],
    PageForgotten: [],
  },
};

function begun({ type: _, triggeredAt, ...triggered }: PageTriggered): OncallPageFacts {
  return {
    ...triggered,
    status: 'triggered',
    repeatCount: 0,
    notified: [],
    step: 0,
    calledFor: 0,
    people: [],
    nextEscalationAt: null,
    acknowledged: null,
    resolved: null,
    withdrawn: [],
    requests: [triggered.requestId],
    createdAt: triggeredAt,
  };
}

function evolvePage(
  state: OncallPageFacts,
  event: Exclude<PageEvent, PageTriggered | PageForgotten>,
): OncallPageFacts {
  switch (event.type) {
    case 'PageNotified':
      return {
        ...state,
        step: event.step,
        calledFor: event.by === null ? state.calledFor : event.step,
        people: event.people,
        notified: alsoTo(state.notified, event.people),
        nextEscalationAt: event.nextEscalationAt,
        // Notified again, these accounts are back in the team.
        withdrawn: state.withdrawn.filter((each) =>
          event.people.every(({ accountId }) => accountId !== each),
        ),
        requests: event.requestId === undefined ? state.requests : withRequest(state, event.requestId),
      };
    case 'PageRepeated':
      return {
        ...state,
        repeatCount: state.repeatCount + 1,
        requests: withRequest(state, event.requestId),
      };
    case 'PageAcknowledged':
      return {
        ...state,
        status: 'acknowledged',
        nextEscalationAt: null,
        acknowledged: { by: event.by, at: event.acknowledgedAt },
      };
    case 'PageWithdrawn':
      return { ...state, withdrawn: [...state.withdrawn, event.accountId] };
    case 'PageResolved':
      return {
        ...state,
        status: 'resolved',
        nextEscalationAt: null,
        resolved: { by: event.by, at: event.resolvedAt },
      };
  }
}

const withRequest = ({ requests }: OncallPageFacts, requestId: string): readonly string[] =>
  [...requests, requestId].slice(-rememberedRequests);

/** A page that is not resolved. */
export type OpenPage = OncallPageFacts & { readonly status: 'triggered' | 'acknowledged' };

export const isOpen = (state: PageState): state is OpenPage => state !== null && state.status !== 'resolved';

/** The ids that identify a page in its events. */
export const namesOf = ({
  pageId,
  groupId,
  teamId,
}: Pick<OncallPageFacts, 'pageId' | 'groupId' | 'teamId'>): Pick<
  OncallPageFacts,
  'pageId' | 'groupId' | 'teamId'
> => ({
  pageId,
  groupId,
  teamId,
});

/** Refused `page.unknown` when the page does not exist. */
export function existing(state: PageState): OncallPageFacts {
  if (!state) throw new Refused('page.unknown');
  return state;
}
