import {
  type DeliveryEvent,
  type DeviceDeactivated,
  type PushCleared,
  type PushReceipt,
  type PushReceiptsNoted,
  type PushReported,
  type ReceiptStatus,
  recipientsOf,
} from '@carillon/contracts';
import type { Decider, Decision, Instant } from '@carillon/eventing';
import type { PushOutcome, Provider } from '../transport/transport';

/** The recorded state of one push to all its devices; null before the first report. */
export type Delivery = {
  readonly subjectId: string;
  readonly accountId: string;
  /** The recipients of the push besides the account. */
  readonly recipients?: readonly string[];
  /** The count of the first report, which is the count that the sender received. */
  readonly reported: number | null;
  readonly accepted: number;
  /** The number of devices the push was sent to; receipts beyond 500 are in `furtherReceipts`. */
  readonly targets: number;
  readonly receipts: readonly PushReceipt[];
  readonly final: boolean;
  readonly cleared: Clearing | null;
} | null;

export interface Clearing {
  readonly reached: number;
  readonly cleared: number;
  /** Devices that may have the push, and receive the clearing command later. */
  readonly left?: readonly string[];
}

export const delivery: Decider<Delivery, DeliveryEvent> = {
  category: 'delivery',
  initial: null,
  evolve(state, event) {
    const { subjectId, accountId } = event;
    const known = state ?? {
      subjectId,
      accountId,
      reported: null,
      accepted: 0,
      targets: 0,
      receipts: [],
      final: false,
      cleared: null,
    };
    switch (event.type) {
      case 'PushReported':
        return {
          ...known,
          ...recipientsOf(event),
          reported: known.reported ?? event.accepted,
          accepted: event.accepted,
          targets: event.targets ?? event.receipts.length,
          receipts: event.receipts,
          final: event.final,
        };
      case 'PushCleared':
        return { ...known, cleared: clearingIn(event) };
    }
  },
  personal: { PushReported: [], PushCleared: [] },
};

const clearingIn = ({ reached, cleared, left = [] }: Clearing): Clearing => ({
  reached,
  cleared,
  ...(left.length > 0 && { left }),
});

export const acceptedOf = (receipts: readonly PushReceipt[]): number =>
  receipts.reduce((count, { status }) => count + (status === 'accepted' ? 1 : 0), 0);

export interface Reporting {
  readonly subjectId: string;
  readonly accountId: string;
  readonly recipients?: readonly string[];
  readonly receipts: readonly PushReceipt[];
  readonly final: boolean;
  readonly at: Instant;
}

/** Records the state of a push: once while it is pending, and once when all its receipts are settled. */
export const report: Decision<Delivery, DeliveryEvent, Reporting> = (reporting) => (state) => {
  if (state?.final) return [];
  if (!reporting.final && state && state.reported !== null) return [];
  return [reportedAs(reporting)];
};

/**
 * Records the receipts of a pending push that have settled since its first report. Without this, only rows would have
 * them, and an older backup of the rows would repeat the push to these devices.
 */
export const reportSettled: Decision<Delivery, DeliveryEvent, Omit<Reporting, 'final'>> =
  (reporting) => (state) => {
    if (!state || state.final || state.reported === null) return [];
    const event = reportedAs({ ...reporting, final: false });
    return settledIn(event.receipts) > settledIn(state.receipts) ? [event] : [];
  };

/** How many of the receipts have settled. */
export const settledIn = (receipts: readonly PushReceipt[]): number =>
  receipts.filter(({ status }) => status !== 'pending').length;

const reportedAs = ({ subjectId, accountId, recipients, receipts, final, at }: Reporting): PushReported => ({
  type: 'PushReported',
  subjectId,
  accountId,
  ...recipientsOf({ recipients }),
  accepted: acceptedOf(receipts),
  receipts: receipts.slice(0, receiptsInEvent),
  ...(receipts.length > receiptsInEvent && { targets: receipts.length }),
  final,
  reportedAt: at,
});

/** The maximum number of receipts in one event: they take a tenth of the event size that the store accepts. */
const receiptsInEvent = 500;

/** The receipts that do not fit in the report. */
export const furtherReceipts: Decider<readonly PushReceipt[], PushReceiptsNoted> = {
  category: 'delivery_receipts',
  initial: [],
  evolve: (state, { receipts }) => [...state, ...receipts],
  personal: { PushReceiptsNoted: [] },
};

/** The further receipts of a push to many devices, in one part per event; they are recorded before the report. */
export function furtherOf(receipts: readonly PushReceipt[]): (readonly PushReceipt[])[] {
  const parts: (readonly PushReceipt[])[] = [];
  for (let from = receiptsInEvent; from < receipts.length; from += receiptsInEvent)
    parts.push(receipts.slice(from, from + receiptsInEvent));
  return parts;
}

/** Records the receipts that are not in the log yet. */
export const noteReceipts: Decision<readonly PushReceipt[], PushReceiptsNoted, Omit<Reporting, 'final'>> =
  ({ subjectId, accountId, receipts, at }) =>
  (state) => {
    const noted = new Set(state.map(({ deviceId }) => deviceId));
    const fresh = receipts.filter(({ deviceId }) => !noted.has(deviceId));
    if (fresh.length === 0) return [];
    return [{ type: 'PushReceiptsNoted', subjectId, accountId, receipts: fresh, notedAt: at }];
  };

export interface ClearingReport extends Clearing {
  readonly subjectId: string;
  readonly accountId: string;
  readonly at: Instant;
}

/** Records that a push was cleared from the phones, unless no provider accepted the command. */
export const recordClearing: Decision<Delivery, DeliveryEvent, ClearingReport> = (clearing) => (state) =>
  clearing.cleared === 0 || state?.cleared ? [] : [clearedBy(clearing)];

/** Records that clearing a push from the phones has ended, however many providers accepted the command. */
export const endClearing: Decision<Delivery, DeliveryEvent, ClearingReport> = (clearing) => (state) => {
  const before = state?.cleared;
  if (before && !before.left) return [];
  const { reached, cleared } = before ?? { reached: 0, cleared: 0 };
  return [
    clearedBy({ ...clearing, reached: reached + clearing.reached, cleared: cleared + clearing.cleared }),
  ];
};

const clearedBy = ({ subjectId, accountId, at, ...clearing }: ClearingReport): PushCleared => ({
  type: 'PushCleared',
  subjectId,
  accountId,
  ...clearingIn(clearing),
  clearedAt: at,
});

/** How far one push to one device has got. */
export interface TaskProgress {
  /** Consecutive attempts without backoff. */
  readonly quick: number;
  /** Consecutive renewals of our provider token. */
  readonly renewals: number;
  /** Attempts that ended in backoff. */
  readonly failures: number;
  readonly throttles: number;
  /** The provider may have accepted an attempt without our knowing. */
  readonly ambiguous: boolean;
}

export const begun: TaskProgress = { quick: 0, renewals: 0, failures: 0, throttles: 0, ambiguous: false };

export type NextStep =
  | {
      readonly to: 'settled';
      readonly status: Exclude<ReceiptStatus, 'pending'>;
      readonly errorCode: string | null;
      /** The reason to deactivate the device's address. */
      readonly retire?: DeviceDeactivated['reason'];
      /** The provider rejected the push because of an error on our side. */
      readonly alarm?: true;
      /** The push had expired. */
      readonly late?: true;
    }
  | { readonly to: 'try_again' | 'wait'; readonly afterMs: number; readonly progress: TaskProgress }
  /** The provider rejects the credential: wait until the provider accepts it. */
  | { readonly to: 'hold' }
  /** Either the provider rejects the credential, or the address belongs to another project. */
  | { readonly to: 'doubt'; readonly progress: TaskProgress };

export interface Facts {
  readonly provider: Provider;
  /** When the device registered the address. */
  readonly tokenSinceMs: number;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  /** A random number from 0 up to 1. */
  readonly chance: number;
}

const second = 1_000;
const minute = 60 * second;
const quickTries = 3;
const maxThrottleMs = 60 * minute;
const finalBackoffMs = 15 * minute;

/**
 * Backoffs after consecutive failures; after the last one, every 15 minutes. Apple asks for 15 minutes after every 5xx:
 * the two shorter backoffs deviate from that, since a short outage would otherwise delay pushes for long. Google
 * requires at least 10 s.
 */
const serverBackoffs = {
  apns: [2 * second, 10 * second],
  fcm: [10 * second, minute],
  web: [2 * second, 10 * second],
} as const;
const unsureBackoffs = [2 * second, 10 * second, minute] as const;

/** The next step after a provider's answer. */
export function next(progress: TaskProgress, outcome: PushOutcome, facts: Facts): NextStep {
  const reason = outcome.reason ?? null;
  const rested = { ...progress, quick: 0, renewals: 0 };
  switch (outcome.class) {
    case 'accepted':
      return { to: 'settled', status: 'accepted', errorCode: null };
    case 'not_sent':
      if (progress.quick < quickTries)
        return {
          to: 'try_again',
          // 0 to 40, 160, 360 ms: pushes that failed together must not be retried together.
          afterMs: Math.round(facts.chance * 40 * (progress.quick + 1) ** 2),
          progress: { ...progress, quick: progress.quick + 1 },
        };
      return backOff({ ...rested, failures: rested.failures + 1 }, unsureBackoffs, reason, facts);
    case 'ambiguous':
      return backOff(
        { ...rested, failures: rested.failures + 1, ambiguous: true },
        unsureBackoffs,
        reason,
        facts,
      );
    case 'provider_token':
      // Apple's answer is only about our token; Google gives the same answer for an address of another project.
      if (progress.renewals > 0) return facts.provider === 'apns' ? { to: 'hold' } : doubt(rested);
      return { to: 'try_again', afterMs: 0, progress: { ...progress, renewals: 1 } };
    case 'throttled': {
      const afterMs =
        outcome.retryAfterMs ?? Math.min(minute * 2 ** Math.min(progress.throttles, 10), maxThrottleMs);
      return orSettled({ ...rested, throttles: rested.throttles + 1 }, afterMs, reason, facts);
    }
    case 'server': {
      const failures = rested.failures + 1;
      if (outcome.retryAfterMs !== undefined)
        return orSettled({ ...rested, failures }, outcome.retryAfterMs, reason, facts);
      return backOff({ ...rested, failures }, serverBackoffs[facts.provider], reason, facts);
    }
    case 'throttled_key':
    case 'config':
      return { to: 'hold' };
    case 'config_doubtful':
      return doubt(rested);
    case 'token_dead': {
      const settled = { to: 'settled', status: 'error', errorCode: reason } as const;
      // The app has registered since: Apple's information is older than ours.
      const isOutdated = outcome.deadSince !== undefined && outcome.deadSince < facts.tokenSinceMs;
      return isOutdated ? settled : { ...settled, retire: 'unregistered' };
    }
    case 'token_suspect':
      return { to: 'settled', status: 'error', errorCode: reason, retire: 'bad_token' };
    case 'unusable':
      return { to: 'settled', status: 'error', errorCode: reason };
    case 'rejected':
      return { to: 'settled', status: 'error', errorCode: reason, alarm: true };
  }
}

/**
 * Waits by the row of backoffs. The longest get up to 30 s more, so that what failed together does not come back
 * together.
 */
function backOff(
  progress: TaskProgress,
  backoffs: readonly number[],
  reason: string | null,
  facts: Facts,
): NextStep {
  const listed = backoffs[progress.failures - 1];
  const afterMs = listed ?? finalBackoffMs + facts.chance * 30 * second;
  return orSettled(progress, Math.round(afterMs), reason, facts);
}

const doubt = (progress: TaskProgress): NextStep => ({
  to: 'doubt',
  progress: { ...progress, failures: progress.failures + 1 },
});

/** A wait for the next attempt, or the end of the push if it expires before that. */
export function orSettled(
  progress: TaskProgress,
  afterMs: number,
  reason: string | null,
  facts: Pick<Facts, 'nowMs' | 'expiresAtMs'>,
): NextStep {
  if (facts.nowMs + afterMs < facts.expiresAtMs) return { to: 'wait', afterMs, progress };
  return expired(progress, reason);
}

/** The end of an expired push. */
export const expired = (progress: TaskProgress, reason: string | null): NextStep => ({
  to: 'settled',
  status: progress.ambiguous ? 'unknown' : 'error',
  errorCode: reason ?? 'expired',
  late: true,
});
