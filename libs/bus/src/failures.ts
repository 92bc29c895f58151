import { busIgnored } from '@carillon/metrics';
import type { Context, Wire } from './envelope';
import { unproven } from './seal';

type FailureReporter = (subject: string, error: unknown, context: Context | undefined) => void;
let report: FailureReporter = () => {};

/** `to` is called with every error that is not a refusal, so that a service can log it. */
export const reportFailures = (to: FailureReporter): void => {
  report = to;
};

/** Tells whoever follows failures in this process. */
export const failed: FailureReporter = (...failure) => report(...failure);

const tellEveryMs = 60_000;
const toldAt = new Map<string, number>();

/** Whoever may publish can send what fails as fast as it likes: the log hears of each kind once a minute. */
function tellNowAndThen(kind: string, subject: string, error: Error): void {
  if (performance.now() - (toldAt.get(kind) ?? -Infinity) <= tellEveryMs) return;
  toldAt.set(kind, performance.now());
  report(subject, error, undefined);
}

/** The caller of a request is whom it likes to be. */
export function refuseUnproven(subject: string): Wire<never> {
  tellNowAndThen('unproven', subject, new Error('A request was not sealed with CARILLON_CALLER_KEY'));
  return { refused: unproven, details: {} };
}

/** What listens to messages of this name has thrown. */
export function listenerFailed(name: string, cause: unknown): void {
  busIgnored.inc({ of: name });
  tellNowAndThen(`listener ${name}`, name, new Error('A listener of the bus failed', { cause }));
}
