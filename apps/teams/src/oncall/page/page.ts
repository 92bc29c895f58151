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

/** Null before somebody has paged, and once it is forgotten. */
export type PageState = OncallPageFacts | null;

export interface OncallPageFacts extends Omit<PageTriggered, 'type' | 'triggeredAt'> {
  readonly status: PageStatus;
  readonly repeatCount: number;
  /** Everybody it went to, in the order in which it first did. */
  readonly notified: readonly string[];
  readonly escalation: readonly EscalationStep[];
  /** How many steps of its escalation have run. */
  readonly step: number;
  /** The newest step that a person has called for; 0 when nobody has. */
  readonly calledFor: number;
  /** Whom the newest step went to. */
  readonly people: readonly PagedPerson[];
  readonly nextEscalationAt: Instant | null;
  readonly acknowledged: { readonly by: string; readonly at: Instant } | null;
  readonly resolved: { readonly by: string | null; readonly at: Instant } | null;
  /** Whom it went to and who have left the team since; who came back and is called again is none of them. */
  readonly withdrawn: readonly string[];
  /** The commands that are answered by it. */
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
        // Who had left is in the team again.
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

/** One that somebody still has to see to. */
export type OpenPage = OncallPageFacts & { readonly status: 'triggered' | 'acknowledged' };

export const isOpen = (state: PageState): state is OpenPage => state !== null && state.status !== 'resolved';

/** What names a page in its events. */
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

/** Refused `page.unknown` for one that was never made. */
export function existing(state: PageState): OncallPageFacts {
  if (!state) throw new Refused('page.unknown');
  return state;
}
