import { type Instant, isAfter, plus } from '@carillon/eventing';
import { fingerprint } from '@carillon/signing';
import type { Reading } from '../preset/read';
import type { Service } from '../service/service';

export interface Watched {
  readonly service: Pick<Service, 'title' | 'expectEverySeconds' | 'graceSeconds'>;
  /** The last call, or when the watch began. */
  readonly lastCall: Instant;
  /** The last call before the silence that is told of; null when none is. */
  readonly silentSince: Instant | null;
  /** For how long no call could come since the last one. */
  readonly deafMs: number;
  /** The service has a group that can be paged, and was not when the silence was told of. */
  readonly isPageable: boolean;
  readonly at: Instant;
}

/** What is to be done about a watched service: tell of a silence, or of its end, or look again. */
export type NextLook =
  | { readonly tell: 'silent' | 'heard'; readonly silentSince: Instant }
  | { readonly lookAt: Instant }
  | undefined;

/** How soon a call ends a silence at the latest. */
const whileSilentMs = 15_000;

export function nextLook({ service, lastCall, silentSince, deafMs, isPageable, at }: Watched): NextLook {
  const { expectEverySeconds, graceSeconds } = service;
  if (expectEverySeconds === null) return undefined;
  if (silentSince !== null) {
    if (isAfter(lastCall, silentSince)) return { tell: 'heard', silentSince };
    return isPageable ? { tell: 'silent', silentSince } : { lookAt: plus(at, whileSilentMs) };
  }
  const due = plus(lastCall, (expectEverySeconds + graceSeconds) * 1000 + deafMs);
  return isAfter(due, at) ? { lookAt: due } : { tell: 'silent', silentSince: lastCall };
}

const dedupKey = 'silence';

/** The key of the page about a silence of the service. */
export const silenceKeyOf = (serviceId: string): string => fingerprint([serviceId, dedupKey]);

/** The event about a silence. */
export function silenceEvent(title: string, tell: 'silent' | 'heard', when: Instant): Reading {
  return {
    message:
      tell === 'silent'
        ? { title: `Firing: ${title} is silent`, body: `Nothing came since ${when}.` }
        : { title: `Resolved: ${title} is silent`, body: `A call came at ${when}.` },
    state: tell === 'silent' ? 'firing' : 'resolved',
    dedupKey,
    severity: 'critical',
    once: null,
  };
}
