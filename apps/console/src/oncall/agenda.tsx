import type { SessionSchemas } from '@carillon/client';
import { useSignal } from '@preact/signals';
import { api } from '../api/api';
import { useLoaded } from '../api/loaded';
import { Empty, Shown } from '../parts/state';
import { moment } from '../parts/time';
import { clockChanges, type Shift, zoneHere } from './days';
import { type TimeWindow, useDrag, windowOf } from './drag';

interface AgendaProps {
  readonly group: SessionSchemas['schemas']['OncallGroup'];
  readonly shifts: readonly Shift[];
  readonly pick: (window: TimeWindow) => void;
}

/** The shifts in their order: on a phone the calendar. From the button of one a drag goes over others. */
export function Agenda({ group, shifts, pick }: AgendaProps) {
  const { isMarked, handlers } = useDrag(pick);
  return (
    <section aria-labelledby="agenda">
      <h2 id="agenda">Shifts</h2>
      {shifts.length === 0 && <Empty>No shift follows.</Empty>}
      <ol class="cards agenda">
        {shifts.map((shift) => (
          <li key={shift.startsAt} class={isMarked(shift) ? 'marked' : ''} {...windowOf(shift)}>
            <p>
              <b>{shift.person.name}</b> {shift.override && <span class="state">override</span>}
            </p>
            <p class="faint">
              {moment(shift.startsAt)} to {moment(shift.endsAt)}
            </p>
            <ClockChange shift={shift} zone={group.rotation.timezone} />
            <Why groupId={group.id} shift={shift} />
            <button
              type="button"
              class="drag"
              aria-label={`Override ${shift.person.name}, ${moment(shift.startsAt)}`}
              {...handlers}
              // A pointer has done it by the drag, which may be of one shift alone; this is the keyboard's way.
              onClick={({ detail }) => detail === 0 && pick(shift)}
            >
              Override
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function ClockChange({ shift: { startsAt, endsAt }, zone }: { shift: Shift; zone: string }) {
  const zones = clockChanges(new Date(startsAt), new Date(endsAt), [zoneHere, zone]);
  return zones.length > 0 ? <p class="faint">The clock changes in {zones.join(' and ')}.</p> : null;
}

/** Loaded when somebody looks. */
function Why({ groupId, shift }: { groupId: string; shift: Shift }) {
  const isOpen = useSignal(false);
  return (
    <details onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>Why {shift.person.name}</summary>
      {isOpen.value && <Reason groupId={groupId} at={shift.startsAt} />}
    </details>
  );
}

function Reason({ groupId, at }: { groupId: string; at: string }) {
  // Of the past it is told as it was known then: of a shift that runs, as it is now.
  const query = Date.parse(at) > Date.now() ? { at } : {};
  const params = { path: { groupId }, query };
  const loaded = useLoaded(`${groupId} ${at}`, () => api.get('/oncall/{groupId}/explain', { params }));
  return <Shown of={loaded}>{({ text }) => <p>{text}</p>}</Shown>;
}
