import type { Fault } from '../fault/fault.js';
import { codeStatus, fcmError, googleError, type GoogleError } from './error.js';

/** The status that FCM gives with one of its codes; undefined for a code that it does not have. */
const statusOfCode = (errorCode: string): number | undefined => codeStatus[errorCode];

/** The code that FCM gives with a status. */
export const codeOfStatus = (status: number): string =>
  Object.keys(codeStatus).find((code) => codeStatus[code] === status) ?? 'UNSPECIFIED_ERROR';

/** The error that a fault forces on a message, whatever the message is; undefined when it forces none. */
export function forcedError({ effect }: Fault): GoogleError | undefined {
  const status =
    effect.status ?? (effect.reason === undefined ? undefined : (statusOfCode(effect.reason) ?? 400));
  if (status === undefined || status === 200) return undefined;
  const code = effect.reason ?? codeOfStatus(status);
  const message = `Simulated ${code}`;
  // A reason that FCM does not have stands for the layer in front of it, which gives no FCM code.
  return statusOfCode(code) === undefined
    ? { ...googleError(status, message), reason: code }
    : fcmError(code, message, status);
}
