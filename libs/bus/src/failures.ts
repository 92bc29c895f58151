import type { Context, Wire } from './envelope';
import { unproven } from './seal';

type Report = (subject: string, error: unknown, context: Context | undefined) => void;
let report: Report = () => {};

/** `to` is called with every error that is not a refusal, so that a service can log it. */
export const reportFailures = (to: Report): void => {
  report = to;
};

/** Tells whoever follows failures in this process. */
export const failed: Report = (...failure) => report(...failure);

const tellEveryMs = 60_000;
let toldAt = -Infinity;

/** Whoever may publish can send such requests as fast as it likes: the log hears of one a minute. */
export function refuseUnproven(subject: string): Wire<never> {
  if (performance.now() - toldAt > tellEveryMs) {
    toldAt = performance.now();
    report(subject, new Error('A request was not sealed with CARILLON_CALLER_KEY'), undefined);
  }
  return { refused: unproven, details: {} };
}
