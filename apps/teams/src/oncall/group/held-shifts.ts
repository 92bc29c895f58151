import type { TeamEvent } from '@carillon/contracts';
import { fold, type Instant, isAfter, isBefore, later } from '@carillon/eventing';
import { type Schedule, type Shift, shiftsIn, type TimeWindow } from '../../rotation/shifts';
import { team, type TeamState } from '../../team/team';
import { happenedAt } from './known-at';

/** The schedule of a group from a time on; null while there was none. */
export interface ScheduleSince {
  readonly since: Instant;
  readonly schedule: Schedule | null;
}

/** The schedules of a group, each from the change that made it, in order. The events may come in parts. */
export class Schedules {
  private state: TeamState = team.initial;
  private at: Instant | undefined;
  readonly all: ScheduleSince[] = [];

  constructor(private readonly groupId: string) {}

  add(events: readonly TeamEvent[]): void {
    for (const event of events) {
      this.state = fold(team, [event], this.state);
      // An event without a time counts with the one before it.
      this.at = happenedAt(event) ?? this.at;
      const schedule = this.state?.oncall.find((each) => each.groupId === this.groupId) ?? null;
      if (this.at !== undefined && schedule !== (this.all.at(-1)?.schedule ?? null))
        this.all.push({ since: this.at, schedule });
    }
  }
}

/** The shifts of a window, cut to it: each part by the schedule that held then, the last one for all that follows. */
export function heldShifts(schedules: readonly ScheduleSince[], window: TimeWindow): Shift[] {
  const held: Shift[] = [];
  schedules.forEach(({ since, schedule }, index) => {
    const part = cut({ startsAt: since, endsAt: schedules[index + 1]?.since ?? window.endsAt }, window);
    if (!schedule || !isBefore(part.startsAt, part.endsAt)) return;
    for (const shift of shiftsIn(schedule, part)) {
      const shown = { ...shift, ...cut(shift, part) };
      const before = held.at(-1);
      if (before && shown.startsAt === part.startsAt && isSame(before, shown))
        held[held.length - 1] = { ...before, endsAt: shown.endsAt };
      else held.push(shown);
    }
  });
  return held;
}

const cut = (one: TimeWindow, other: TimeWindow): TimeWindow => ({
  startsAt: later(one.startsAt, other.startsAt),
  endsAt: isAfter(one.endsAt, other.endsAt) ? other.endsAt : one.endsAt,
});

/** Whether one shift goes on in the other, which a change of the schedule has left as it was. */
const isSame = (one: Shift, other: Shift): boolean =>
  one.accountId === other.accountId && one.overrideId === other.overrideId && one.endsAt === other.startsAt;
