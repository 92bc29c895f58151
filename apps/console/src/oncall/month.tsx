import { useSignal } from '@preact/signals';
import { clockChanges, type Day, dayAfter, type Shift, weeksOf, zoneHere } from './days';
import { type TimeWindow, useDrag, windowOf } from './drag';

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
/** A Monday, and the days after it. */
const weekdays = Array.from({ length: 7 }, (_, n) => dayName.format(new Date(2026, 0, 5 + n)));

interface MonthProps {
  readonly shifts: readonly Shift[];
  /** The zone of the rotation. */
  readonly zone: string;
  /** Whether a change that is not saved is among the shifts. */
  readonly isPlanned: boolean;
  readonly pick: (window: TimeWindow) => void;
}

/** The shifts by month, where a drag over days plans an override. On a phone there is the list below alone. */
export function Month({ shifts, zone, isPlanned, pick }: MonthProps) {
  const away = useSignal(0);
  const { isMarked, handlers } = useDrag(pick);
  const now = new Date();
  const first = new Date(now.getFullYear(), now.getMonth() + away.value, 1);
  const last = shifts.at(-1);
  const turn = (by: number): void => void (away.value = Math.max(0, away.value + by));
  return (
    <section class="month" aria-labelledby="month">
      <h2 id="month" aria-live="polite">
        {monthName.format(first)}
      </h2>
      <div class="actions">
        <button type="button" onClick={() => turn(-1)} aria-disabled={away.value === 0}>
          Month before
        </button>
        <button type="button" onClick={() => turn(1)}>
          Next month
        </button>
      </div>
      {isPlanned && <p class="state waiting">With the change that is not saved yet</p>}
      <table aria-labelledby="month" {...handlers}>
        <thead>
          <tr>
            {weekdays.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(first.getFullYear(), first.getMonth(), shifts).map((week, row) => (
            <tr key={row}>
              {week.map((day, cell) => {
                if (!day) return <td key={cell} />;
                const window = windowOfDay(day);
                return (
                  <td key={cell} class={isMarked(window) ? 'marked' : ''} {...windowOf(window)}>
                    <OneDay {...day} zone={zone} isToday={isSame(day.date, now)} />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="faint">
        {last && `Shown until ${new Date(last.endsAt).toLocaleDateString()}. `}
        Drag over days to plan an override of them; the form below does the same.
      </p>
    </section>
  );
}

const windowOfDay = ({ date }: Day): TimeWindow => ({
  startsAt: date.toISOString(),
  endsAt: dayAfter(date).toISOString(),
});

const isSame = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();

interface OneDayProps extends Day {
  readonly zone: string;
  readonly isToday: boolean;
}

function OneDay({ date, shifts, zone, isToday }: OneDayProps) {
  const zones = clockChanges(date, dayAfter(date), [zoneHere, zone]);
  return (
    <>
      <span class={isToday ? 'state waiting' : 'faint'} aria-current={isToday ? 'date' : undefined}>
        {date.getDate()}
      </span>
      {zones.length > 0 && <span class="faint"> clock change in {zones.join(' and ')}</span>}
      {shifts.map(({ person, startsAt, override }) => (
        <p key={startsAt}>
          {person.name}
          {override && <span class="faint"> (override)</span>}
        </p>
      ))}
    </>
  );
}
