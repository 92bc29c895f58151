import type { PageEvent } from '@carillon/contracts';
import { type Decision, type Instant, isBefore, Refused } from '@carillon/eventing';
import { notify } from './notify';
import { existing, type PageState } from './page';
import type { Roster } from './roster';

/** Runs the step after this one. */
interface After {
  readonly step: number;
  readonly roster: Roster;
  readonly at: Instant;
}

/** Runs the next step when it is due: once, and never early, whenever and however often the command is executed. */
export const runDue: Decision<PageState, PageEvent, After> =
  ({ step, roster, at }) =>
  (state) => {
    if (state?.status !== 'triggered' || state.step !== step) return [];
    if (state.nextEscalationAt === null || isBefore(at, state.nextEscalationAt)) return [];
    return notify(state, { step: step + 1, roster, at });
  };

/** Runs the next step at once, because no device accepted the newest one. */
export const runUnreached: Decision<PageState, PageEvent, After> =
  ({ step, roster, at }) =>
  (state) => {
    if (state?.status !== 'triggered' || state.step !== step || step >= state.escalation.length) return [];
    return notify(state, { step: step + 1, roster, at });
  };

export interface Escalating extends Omit<After, 'step'> {
  readonly by: string;
  readonly requestId: string;
  /** The number of steps that had run at the time of the request. */
  readonly asked: number;
  /** The number of steps that the person had seen, if the request says so. */
  readonly seen?: number;
}

/**
 * Runs the next step for a person. Concurrent requests, and requests that have not seen another person's escalation,
 * mean the same step, which runs once. A step that ran by its timer since then does not prevent the escalation.
 */
export const escalate: Decision<PageState, PageEvent, Escalating> =
  ({ roster, at, by, requestId, asked, seen = asked }) =>
  (state) => {
    const found = existing(state);
    if (found.requests.includes(requestId)) return [];
    if (found.status === 'resolved') throw new Refused('page.already_resolved');
    if (found.status === 'acknowledged') throw new Refused('page.already_acknowledged');
    if (found.step > asked || found.calledFor > seen) return [];
    if (found.step >= found.escalation.length) throw new Refused('page.no_further_escalation');
    return notify(found, { step: found.step + 1, roster, at, by, requestId });
  };
