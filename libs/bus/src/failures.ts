import { busIgnored } from '@carillon/metrics';
import type { Context, Wire } from './envelope';
import { unproven } from './seal';

type FailureReporter = (subject: string, error: unknown, context: Context | undefined) => void;
let report: FailureReporter = () => {};

/** `to` is called with every error that is not a refusal, so that a service can log it. */
export const reportFailures = (to: FailureReporter): void => {
  report = to;
};

/** Reports a failure to the reporter of this process. */
export const failed: FailureReporter = (...failure) => report(...failure);

const tellEveryMs = 60_000;
const toldAt = new Map<string, number>();

/** Reports each kind of failure at most once a minute: any publisher could flood the log with failing messages. */
function tellNowAndThen(kind: string, subject: string, error: Error): void {
  if (performance.now() - (toldAt.get(kind) ?? -Infinity) <= tellEveryMs) return;
  toldAt.set(kind, performance.now());
  report(subject, error, undefined);
}

/** Refuses a request whose caller is not proved by a seal. */
export function refuseUnproven(subject: string): Wire<never> {
  tellNowAndThen('unproven', subject, new Error('A request was not sealed with CARILLON_CALLER_KEY'));
  return { refused: unproven, details: {} };
}

/** Counts and reports an error of the listener of this name. */
export function listenerFailed(name: string, cause: unknown): void {
  busIgnored.inc({ of: name });
  tellNowAndThen(`listener ${name}`, name, new Error('A listener of the bus failed', { cause }));
}
