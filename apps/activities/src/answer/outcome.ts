import type { LanesReport, MutationAnswered } from '@carillon/contracts';
import type { Decider, Decision } from '@carillon/eventing';

/** The answer to a command with an idempotency key; null until it is recorded. */
export type OutcomeState = MutationOutcome | null;
export type MutationOutcome = Omit<MutationAnswered, 'type'>;

export const outcome: Decider<OutcomeState, MutationAnswered> = {
  category: 'activity_answer',
  initial: null,
  evolve(_state, event) {
    switch (event.type) {
      case 'MutationAnswered': {
        const { type: _type, ...answered } = event;
        return answered;
      }
    }
  },
  personal: { MutationAnswered: [] },
};

/** Records the first answer; later answers are ignored. */
export const record: Decision<OutcomeState, MutationAnswered, MutationOutcome> = (answered) => (state) =>
  state ? [] : [{ type: 'MutationAnswered', ...answered }];

/** The counts of an answer: without a report from push, all devices count as queued. */
export const countsOf = (
  report: LanesReport | undefined,
  devices: number,
): Pick<MutationOutcome, 'accepted' | 'failed' | 'queued' | 'superseded'> => {
  const { accepted, failed, queued, superseded } = report ?? {
    accepted: 0,
    failed: 0,
    queued: devices,
    superseded: 0,
  };
  return { accepted, failed, queued, superseded };
};
