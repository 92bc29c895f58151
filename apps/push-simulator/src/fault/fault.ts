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
  provider?: 'apns' | 'fcm' | 'web' | 'oauth' | undefined;
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
  provider: 'apns' | 'fcm' | 'web' | 'oauth';
  phoneId?: string | undefined;
  pushTypes: (string | undefined)[];
}

/** How a request ends: with its answer, or broken off as its fault says, before or after it was processed. */
export type RequestEnd<Answer> =
  | { readonly fault: Fault | undefined; readonly answer: Answer }
  | { readonly fault: Fault; readonly processed: boolean };

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
