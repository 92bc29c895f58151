import type { LanesReport, MutationAnswered } from '@carillon/contracts';
import type { Decider, Decision } from '@carillon/eventing';

/** What a command with an idempotency key was answered; null until it was. */
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
};

/** The first answer stays. */
export const record: Decision<OutcomeState, MutationAnswered, MutationOutcome> = (answered) => (state) =>
  state ? [] : [{ type: 'MutationAnswered', ...answered }];

/** The counts of an answer: without word from push, everything waits. */
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
