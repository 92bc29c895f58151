import { type Instant, plus } from '@carillon/eventing';
import { shiftedByMinutes } from './rotation';
import { type Schedule, shiftAt, type Turn, turnsIn, type TimeWindow } from './shifts';

/** The member on call at a time, and the rule that decides it. */
export interface Explanation {
  readonly at: Instant;
  readonly accountId: string | null;
  readonly kind: 'rotation' | 'override' | 'nobody';
  /** The number of the turn, even during an override; null before the first turn. */
  readonly turn: number | null;
  readonly shift: TimeWindow | null;
  readonly overrideId: string | null;
  /** Minutes by which a clock change moves the handoff that begins the turn, else the one that ends it. */
  readonly shiftedByMinutes: number;
}

export function explain(schedule: Schedule, at: Instant): Explanation {
  const found = shiftAt(schedule, at);
  const [turn] = turnsIn(schedule.rotation, { startsAt: at, endsAt: plus(at, 1) });
  const begun = turn !== undefined && turn.turn >= 0 ? turn : undefined;
  return {
    at,
    accountId: found?.accountId ?? null,
    kind: !found ? 'nobody' : found.overrideId === null ? 'rotation' : 'override',
    turn: begun?.turn ?? null,
    shift: found && { startsAt: found.startsAt, endsAt: found.endsAt },
    overrideId: found?.overrideId ?? null,
    shiftedByMinutes: begun ? shiftedBy(schedule, begun) : 0,
  };
}

const shiftedBy = ({ rotation }: Schedule, { turn }: Turn): number =>
  shiftedByMinutes(rotation, turn) || shiftedByMinutes(rotation, turn + 1);
