import { useSignal } from '@preact/signals';
import { type Day, hasClockChange, type Shift, weeksOf } from './days';

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
/** A Monday, and the days after it. */
const weekdays = Array.from({ length: 7 }, (_, n) => dayName.format(new Date(2026, 0, 5 + n)));

interface MonthProps {
  readonly group: { readonly current: Shift | null; readonly upcoming: readonly Shift[] };
}

/** The present shift and the next ten by month. On a phone there is the list below alone. */
export function Month({ group }: MonthProps) {
  const away = useSignal(0);
  const now = new Date();
  const first = new Date(now.getFullYear(), now.getMonth() + away.value, 1);
  const shifts = [...(group.current ? [group.current] : []), ...group.upcoming];
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
      <table aria-labelledby="month">
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
              {week.map((day, cell) => (
                <td key={cell}>{day && <OneDay {...day} isToday={isSame(day.date, now)} />}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {last && <p class="faint">Shown until {new Date(last.endsAt).toLocaleDateString()}.</p>}
    </section>
  );
}

const isSame = (one: Date, other: Date): boolean => one.toDateString() === other.toDateString();

const OneDay = ({ date, shifts, isToday }: Day & { isToday: boolean }) => (
  <>
    <span class={isToday ? 'state waiting' : 'faint'} aria-current={isToday ? 'date' : undefined}>
      {date.getDate()}
    </span>
    {hasClockChange(date) && <span class="faint"> clock change</span>}
    {shifts.map(({ person, startsAt, override }) => (
      <p key={startsAt}>
        {person.name}
        {override && <span class="faint"> (override)</span>}
      </p>
    ))}
  </>
);
