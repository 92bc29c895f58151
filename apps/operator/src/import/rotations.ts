import type { EscalationStep, RotationPeriod } from '@carillon/contracts';
import { Temporal } from 'temporal-polyfill';

/** A rotation of another product, as an on-call group of ours: the people by their addresses, in their order. */
export interface Found {
  readonly name: string;
  readonly emails: readonly string[];
  readonly period: RotationPeriod;
  /** `HH:mm` on the wall clock of the zone. */
  readonly handoffAt: string;
  readonly timezone: string;
  /** The first person's turn begins then. */
  readonly startsAt: string;
  readonly escalation: readonly EscalationStep[];
}

export type BareRotation = Omit<Found, 'escalation'>;

/** The turns of people who are accounts of ours. */
export type Turns = Omit<BareRotation, 'name' | 'emails'> & { readonly userIds: readonly string[] };

/**
 * Whether the same person is on call at any time. Each may begin with somebody else: an export of GoAlert begins with
 * who is on call then, so that a later one has another person first, and a later first handoff.
 */
export function hasSameTurns(one: Turns, other: Turns): boolean {
  const { userIds, period, handoffAt, timezone } = one;
  if (userIds.length !== other.userIds.length || period !== other.period) return false;
  if (handoffAt !== other.handoffAt || timezone !== other.timezone) return false;
  // Negative where the other one begins earlier.
  const handoffs = dateOf(one).until(dateOf(other)).days / (period === 'daily' ? 1 : 7);
  return (
    Number.isInteger(handoffs) &&
    other.userIds.every((userId, turn) => userId === userIds.at((turn + handoffs) % userIds.length))
  );
}

const dateOf = ({ startsAt, timezone }: Turns): Temporal.PlainDate =>
  Temporal.Instant.from(startsAt).toZonedDateTimeISO(timezone).toPlainDate();

/** What an export becomes, and a sentence for each of its parts that Carillon cannot express. */
export interface Mapped {
  readonly found: readonly Found[];
  readonly unfit: readonly string[];
}

/** A part of an export that Carillon cannot express. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}

/** The result; where it is unfit, nothing, and the sentence among the others. */
export function fitting<Result>(what: string, unfit: string[], map: () => Result): Result | undefined {
  try {
    return map();
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    unfit.push(`${what}: ${error.message}`);
    return undefined;
  }
}

type FirstHandoff = Pick<Found, 'handoffAt' | 'timezone' | 'startsAt'>;

/** The first handoff on the wall clock of a zone. A clock change may have moved it from the time of the others. */
export const firstHandoff = (at: Temporal.ZonedDateTime, time = at.toPlainTime()): FirstHandoff => ({
  handoffAt: time.toString({ smallestUnit: 'minute' }),
  timezone: at.timeZoneId,
  startsAt: new Date(at.epochMilliseconds).toISOString(),
});

/** A time with an offset, seen from a zone. */
export function instantIn(text: string, timezone: string): Temporal.ZonedDateTime {
  try {
    return Temporal.Instant.from(text).toZonedDateTimeISO(timezone);
  } catch {
    throw new Unfit(`"${text}" in "${timezone}" is no time`);
  }
}

/** The first handoff, given by the wall clock of a zone. */
export function firstHandoffAt(text: string, timezone: string): FirstHandoff {
  try {
    const local = Temporal.PlainDateTime.from(text);
    return firstHandoff(local.toZonedDateTime(timezone), local.toPlainTime());
  } catch {
    throw new Unfit(`"${text}" in "${timezone}" is no time`);
  }
}

/** The period of a rotation that hands over every so many days or weeks. */
export function periodOf(unit: string, length: number): RotationPeriod {
  if (unit === 'daily' && length === 1) return 'daily';
  if ((unit === 'weekly' && length === 1) || (unit === 'daily' && length === 7)) return 'weekly';
  throw new Unfit(`it hands over "${unit}" with length ${length}, Carillon every day or week`);
}

/** Each person once: a rotation of ours names nobody twice. */
export function onceEach(emails: readonly string[]): readonly string[] {
  if (emails.length === 0) throw new Unfit('nobody is in it');
  if (new Set(emails).size < emails.length) throw new Unfit('somebody has several turns in it');
  return emails;
}

/** The address of the person of a turn. */
export function emailIn(emails: ReadonlyMap<string, string>, id: string): string {
  const email = emails.get(id);
  if (email === undefined) throw new Unfit('a turn is that of somebody whom the export does not have');
  return email;
}

/** Whether these are all people of a rotation, and nobody else. */
export function namesAll(emails: readonly (string | undefined)[], rotation: BareRotation): boolean {
  const named = new Set(emails);
  return named.size === rotation.emails.length && rotation.emails.every((email) => named.has(email));
}

/** The first of several escalations of the same rotation or schedule; a sentence for each other one. */
export function firstOf<Escalation>(
  escalations: readonly Escalation[],
  what: (escalation: Escalation) => string,
  whose: string,
  unfit: string[],
): Escalation | undefined {
  const [first, ...others] = escalations;
  for (const other of others) unfit.push(`${what(other)}: "${whose}" has another already`);
  return first;
}

/** A notification of an escalation: whom, and how long after the page was opened. */
export interface Notice {
  readonly afterMinutes: number;
  /** Null: somebody whom no step of Carillon's reaches. */
  readonly target: 'current' | 'next' | 'group' | null;
  /** For the message. */
  readonly whom: string;
}

/** The steps after the first notification; steps that Carillon cannot express are left out, with a sentence. */
export function stepsOf(what: string, notices: readonly Notice[], unfit: string[]): EscalationStep[] {
  const steps: EscalationStep[] = [];
  let previous = 0;
  for (const [index, { afterMinutes, target, whom }] of notices.entries()) {
    if (index === 0) {
      if (afterMinutes > 0)
        unfit.push(
          `${what}: the first notification comes after ${afterMinutes} minutes, in Carillon at once`,
        );
      continue;
    }
    const wait = afterMinutes - previous;
    if (target !== 'next' && target !== 'group')
      unfit.push(`${what}: step ${index + 1} notifies ${whom}, Carillon the next person or the whole group`);
    else if (!Number.isInteger(wait) || wait < 1 || wait > 1440)
      unfit.push(`${what}: step ${index + 1} comes after ${wait} minutes, in Carillon 1 to 1440 whole ones`);
    else if (steps.length === 10) unfit.push(`${what}: step ${index + 1} is one too many, Carillon has 10`);
    else {
      steps.push({ afterMinutes: wait, target });
      previous = afterMinutes;
    }
  }
  return steps;
}
