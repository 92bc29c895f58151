import { setTimeout as sleep } from 'node:timers/promises';
import { causeOf, messageOf } from './failure';
import { PartFailed, type Progress } from './progress';
import { howFar, sentence, unreadyIn } from './unready';

/** Timeout without any progress. */
const timeoutMs = 30_000;
const tellEveryMs = 2_000;

/**
 * Waits until the gateway is ready. While rows are made from the log it says how far they are, and waits for as long as
 * they go on.
 */
export async function untilReady(options: {
  readonly url: string;
  readonly logFile: string;
  readonly progress: Progress;
  /** Throws when the wait was cancelled. */
  readonly goOn: () => void;
}): Promise<void> {
  const { url, logFile, progress, goOn } = options;
  let deadline = Date.now() + timeoutMs;
  let told = 0;
  let far = -1;
  for (let last = 'no answer'; ;) {
    goOn();
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) });
      if (answer.status === 200) return;
      const unready = unreadyIn(await answer.text());
      last = unready.map(sentence).join('; ') || `${answer.status}`;
      const soFar = unready.reduce((sum, { events = 0 }) => sum + events, 0);
      if (soFar > far) {
        far = soFar;
        deadline = Date.now() + timeoutMs;
      }
      const line = howFar(unready);
      if (line && Date.now() - told >= tellEveryMs) {
        told = Date.now();
        progress.say('rows', line);
      }
    } catch (error) {
      const cause = causeOf(error);
      last = cause === undefined ? String(error) : messageOf(cause);
    }
    if (Date.now() > deadline)
      throw new PartFailed(
        'gateway',
        `not ready, and nothing has moved for ${timeoutMs / 1000} s: ${last}`,
        logFile,
      );
    await sleep(50);
  }
}
