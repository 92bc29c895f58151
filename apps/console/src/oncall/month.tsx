import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Shown } from '../parts/state';
import { clockChanges, type Day, dayAfter, weeksOf, zoneHere } from './days';
import { type TimeWindow, useDrag, windowOf } from './drag';
import type { Pending } from './preview';
import { plannedIn } from './planned';

const monthName = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric' });
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short' });
/** A Monday, and the days after it. */
const weekdays = Array.from({ length: 7 }, (_, n) => dayName.format(new Date(2026, 0, 5 + n)));

interface MonthProps {
  readonly group: SessionSchemas['schemas']['OncallGroup'];
  /** The change that is not saved, if there is one. */
  readonly pending: Pending | undefined;
  readonly pick: (window: TimeWindow) => void;
}

/** The shifts by month, where a drag over days plans an override. On a phone there is the list below alone. */
export function Month({ group, pending, pick }: MonthProps) {
  const away = useSignal(0);
  const { isMarked, handlers } = useDrag(pick);
  const now = new Date();
  const first = new Date(now.getFullYear(), now.getMonth() + away.value, 1);
  const [from, to] = [first, new Date(first.getFullYear(), first.getMonth() + 1, 1)].map((each) =>
    each.toISOString(),
  );
  // Another schedule has other shifts.
  const version = [group.updatedAt, ...group.overrides.map(({ id, endsAt }) => `${id} ${endsAt}`)].join();
  const loaded = useLoaded(`${group.id} ${from} ${version}`, async () => {
    const params = { path: { groupId: group.id }, query: { from: from ?? '', to: to ?? '' } };
    return (await api.get('/oncall/{groupId}/shifts', { params })).shifts;
  });
  const turn = (by: number): void => void (away.value += by);
  return (
    <section class="month" aria-labelledby="month">
      <h2 id="month" aria-live="polite">
        {monthName.format(first)}
      </h2>
      <div class="actions">
        <button type="button" onClick={() => turn(-1)}>
          Month before
        </button>
        <button type="button" onClick={() => turn(1)}>
          Next month
        </button>
      </div>
      {pending && <p class="state waiting">With the change that is not saved yet</p>}
      <Shown of={loaded}>
        {(shifts) => (
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
              {weeksOf(first.getFullYear(), first.getMonth(), plannedIn(shifts, pending)).map((week, row) => (
                <tr key={row}>
                  {week.map((day, cell) => {
                    if (!day) return <td key={cell} />;
                    const window = windowOfDay(day);
                    return (
                      <td key={cell} class={isMarked(window) ? 'marked' : ''} {...windowOf(window)}>
                        <OneDay {...day} zone={group.rotation.timezone} isToday={isSame(day.date, now)} />
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Shown>
      <p class="faint">Drag over days to plan an override of them; the form below does the same.</p>
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
