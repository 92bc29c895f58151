/** What a fault does to a push. */
export interface Effect {
  latencyMs?: number | undefined;
  status?: number | undefined;
  reason?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cut?: 'before' | 'after' | undefined;
  goaway?: boolean | undefined;
  refuseStream?: boolean | undefined;
}

/** Which pushes a fault meets; what is left out matches all. */
export interface Match {
  provider?: 'apns' | 'fcm' | 'oauth' | undefined;
  phoneId?: string | undefined;
  /** An apns-push-type, or the type that the payload names (notification, prompt, withdraw …). */
  pushType?: string | undefined;
}

/** A rule that makes a provider misbehave. */
export interface Fault {
  id: string;
  match: Match;
  effect: Effect;
  /** How many pushes it meets; null = all until it is cleared. */
  count: number | null;
  met: number;
}

/** What a fault is matched against. */
export interface Subject {
  provider: 'apns' | 'fcm' | 'oauth';
  phoneId?: string | undefined;
  pushTypes: (string | undefined)[];
}

/** How a request ends: with its answer, or broken off as its fault says, before or after it was processed. */
export type Ending<Answer> =
  | { readonly fault: Fault | undefined; readonly answer: Answer }
  | { readonly fault: Fault; readonly processed: boolean };

const listed = 200;

/** The faults in force, in the order in which they were made. The first that matches is the one that acts. */
export class Faults {
  private faults: Fault[] = [];
  private last = 0;

  add(match: Match, effect: Effect, count: number | undefined): Fault {
    const fault: Fault = { id: `fault_${++this.last}`, match, effect, count: count ?? null, met: 0 };
    this.faults.push(fault);
    // Those that are used up stay listed, so that a test can see that they acted; not for ever.
    if (this.faults.length > listed)
      this.faults = this.faults.filter((other, at) => at >= this.faults.length - listed || !spent(other));
    return fault;
  }

  take(subject: Subject): Fault | undefined {
    if (this.faults.length === 0) return undefined;
    const fault = this.faults.find((candidate) => !spent(candidate) && matches(candidate.match, subject));
    if (fault) fault.met++;
    return fault;
  }

  list(): (Fault & { remaining: number | null })[] {
    return this.faults.map((fault) => ({
      ...fault,
      remaining: fault.count === null ? null : fault.count - fault.met,
    }));
  }

  clear(): void {
    this.faults = [];
  }
}

const spent = (fault: Fault) => fault.count !== null && fault.met >= fault.count;

function matches(match: Match, subject: Subject): boolean {
  // A fault that names no provider is about pushes: the token endpoint must be named to be met.
  if (match.provider === undefined ? subject.provider === 'oauth' : match.provider !== subject.provider)
    return false;
  if (match.phoneId !== undefined && match.phoneId !== subject.phoneId) return false;
  return match.pushType === undefined || subject.pushTypes.includes(match.pushType);
}

/** Why a fault keeps a push from being processed at all; undefined when it does not. */
export function unprocessed({ effect }: Fault): string | undefined {
  if (effect.cut === 'before') return 'connection cut before it was processed';
  if (effect.refuseStream) return 'stream refused';
  if (effect.goaway && effect.cut !== 'after') return 'connection closed with GOAWAY';
  return undefined;
}

/** Answers at once, or as late as the fault says. The push itself was taken when it came. */
export function later(fault: Fault | undefined, answer: () => void): void {
  if (!fault?.effect.latencyMs) return answer();
  setTimeout(answer, fault.effect.latencyMs).unref();
}
