import type { Scope } from '@carillon/contracts';

const day = 24 * 60 * 60;
export const deviceSeconds = 10 * 60;
export const pollSeconds = 5;
/** How long the token is good unless the person says otherwise. */
export const cliTokenMs = 90 * day * 1_000;

/** Consonants that nobody confuses, and that make no words (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

/** A code for a person to type: eight of twenty letters, 34 bits, good for ten minutes and ten tries. */
export const mintUserCode = (pick: (below: number) => number): string => {
  const eight = Array.from({ length: 8 }, () => letters.charAt(pick(letters.length))).join('');
  return `${eight.slice(0, 4)}-${eight.slice(4)}`;
};

/** A typed code as it was minted; undefined for what no code can be. */
export function userCodeOf(typed: string): string | undefined {
  const eight = typed.toUpperCase().replace(/[^A-Z]/g, '');
  if (eight.length !== 8 || ![...eight].every((letter) => letters.includes(letter))) return undefined;
  return `${eight.slice(0, 4)}-${eight.slice(4)}`;
}

/** What a person has decided about a command line. */
export type DeviceDecision =
  | { readonly decision: 'deny' }
  | {
      readonly decision: 'approve';
      readonly accountId: string;
      readonly sessionId: string;
      readonly name: string;
      readonly scopes: readonly Scope[];
      readonly expiresAt: string | null;
    };

export interface DeviceRequest {
  readonly client: string;
  /** The name of the machine, as it says itself. */
  readonly host: string;
  readonly scopes: readonly Scope[];
  readonly decided?: DeviceDecision;
  /** When it asked last, and how long it must wait between two requests. */
  readonly polledAtMs?: number;
  readonly intervalSeconds: number;
}

export type Poll =
  | { readonly answer: 'authorization_pending' | 'slow_down'; readonly next: DeviceRequest }
  | { readonly answer: 'access_denied' }
  | { readonly answer: 'approved'; readonly by: Extract<DeviceDecision, { decision: 'approve' }> };

/** The answer to a command line that asks whether the person has decided. */
export function poll(request: DeviceRequest, atMs: number): Poll {
  const { decided, polledAtMs, intervalSeconds } = request;
  if (decided?.decision === 'deny') return { answer: 'access_denied' };
  if (decided) return { answer: 'approved', by: decided };
  const tooSoon = polledAtMs !== undefined && atMs - polledAtMs < intervalSeconds * 1_000;
  const next = {
    ...request,
    polledAtMs: atMs,
    intervalSeconds: tooSoon ? intervalSeconds + pollSeconds : intervalSeconds,
  };
  return { answer: tooSoon ? 'slow_down' : 'authorization_pending', next };
}
