import type { PageEvent } from '@carillon/contracts';
import { type Decision, type Instant, isBefore, Refused } from '@carillon/eventing';
import { notify } from './notify';
import { existing, type PageState } from './page';
import type { Roster } from './roster';

/** What runs the step after this one. */
interface After {
  readonly step: number;
  readonly roster: Roster;
  readonly at: Instant;
}

/** The time of the next step has come. Early, late or twice, it runs once, and never before its time. */
export const runDue: Decision<PageState, PageEvent, After> =
  ({ step, roster, at }) =>
  (state) => {
    if (state?.status !== 'triggered' || state.step !== step) return [];
    if (state.nextEscalationAt === null || isBefore(at, state.nextEscalationAt)) return [];
    return notify(state, { step: step + 1, roster, at });
  };

/** No device of anybody has accepted the newest step: the next one does not wait for its time. */
export const runUnreached: Decision<PageState, PageEvent, After> =
  ({ step, roster, at }) =>
  (state) => {
    if (state?.status !== 'triggered' || state.step !== step || step >= state.escalation.length) return [];
    return notify(state, { step: step + 1, roster, at });
  };

export interface Escalating extends Omit<After, 'step'> {
  readonly by: string;
  readonly requestId: string;
  /** How many steps had run when they asked. */
  readonly asked: number;
  /** How many had run when they looked, where they say so. */
  readonly seen?: number;
}

/**
 * A person has the next step run now. Whoever presses at the same moment, or after somebody else without having seen it,
 * means the same step: it runs once. One that has run by its time since they looked is no reason not to go on.
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
