import type { Effect, Fault, Match, Subject } from './fault.js';

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
