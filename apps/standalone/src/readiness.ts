import { setTimeout as sleep } from 'node:timers/promises';
import { PartFailed, type Progress } from './progress';

/** Without any progress it is given up after this. */
const timeoutMs = 30_000;
const tellEveryMs = 2_000;

/** What the gateway says of who is not ready. */
export interface Unready {
  readonly service: string;
  readonly projection?: string;
  readonly reason: string;
  readonly percent?: number;
  readonly events?: number;
  readonly secondsLeft?: number;
}

/**
 * Waits until the gateway is ready. While rows are made from the log it says how far they are, and waits for as long as
 * they go on.
 */
export async function untilReady(options: {
  readonly url: string;
  readonly logFile: string;
  readonly progress: Progress;
  /** Throws when nobody waits any more. */
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
      last = (error as Error & { cause?: Error }).cause?.message ?? String(error);
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

function unreadyIn(text: string): readonly Unready[] {
  try {
    return (JSON.parse(text) as { unready?: readonly Unready[] }).unready ?? [];
  } catch {
    return [];
  }
}

const sentence = ({ service, projection, reason }: Unready): string =>
  [service, ...(projection ? [projection] : []), reason].join(' ');

/** How far the rows are that are made from the log, by the one that is furthest behind. Undefined when none are. */
export function howFar(unready: readonly Unready[]): string | undefined {
  const making = unready.filter(({ percent }) => percent !== undefined && percent < 100);
  const [slowest] = [...making].sort((one, other) => one.percent! - other.percent!);
  if (!slowest) return undefined;
  const { service, projection, percent, events = 0, secondsLeft } = slowest;
  const left = secondsLeft === undefined ? '' : `, about ${secondsLeft} s left`;
  return `made from the log: ${percent} % (${events.toLocaleString('en')} events)${left}; ${service} ${projection} is last of ${making.length}`;
}
